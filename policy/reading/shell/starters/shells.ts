import { withInput } from "../preamble.ts";
import { optionValue, readOptions } from "./options.ts";
import { isStandardInput, type Run, runs, runsInput, type Starter, startsWords } from "./starter.ts";

/** `sh script`, `sh -c text`, `sh -s` and a shell that is given nothing: the last two run what they read. */
const shell: Starter = ({ words, input }) => {
  let text = false;
  let standard = false;
  let next = 1;
  for (; next < words.length; next += 1) {
    const word = words[next] ?? "";
    if (word === "--" || word === "-") {
      next += 1;
      break;
    }
    if (!/^[-+]./.test(word)) break;
    if (word === "--rcfile" || word === "--init-file" || /^[-+][a-zA-Z]*[oO]$/.test(word)) next += 1;
    if (word.startsWith("--")) continue;
    if (word.startsWith("-") && word.includes("c")) text = true;
    if (word.includes("s")) standard = true;
  }
  const rest = words.slice(next);
  // The word after the text is `$0`.
  if (text) return runs(withInput(rest[0] ?? "", input), { parameters: rest.slice(2) });
  if (input === undefined) return undefined;
  if (standard) return runs(input, { parameters: rest });
  if (rest.length > 0 && !isStandardInput(rest[0] ?? "")) return undefined;
  return runs(input, { parameters: rest.slice(1) });
};

/** A group's shell: `sg docker -c text`, `sg docker text`, and a shell of its own. */
const sg: Starter = (start) => {
  const text = commandOption(start.words, /^--command(?:=([\s\S]*))?$/) ?? start.words.slice(2).join(" ");
  return text === "" ? runsInput(start) : runs(withInput(text, start.input));
};

const source: Starter = ({ words, input }) =>
  input !== undefined && isStandardInput(words[1] ?? "") ? runs(input) : undefined;

const evaluate: Starter = ({ words }) => runs(words.slice(readOptions(words, 1, {}).next).join(" "));

const trap: Starter = ({ words }) => {
  const { next } = readOptions(words, 1, {});
  const text = words[next] ?? "";
  // `trap -` and a lone signal set a trap back.
  return text === "-" || words.length < next + 2 ? undefined : runs(text);
};

const SSH = { short: "BbcDEeFIiJLlmOopPQRSWw" };

const ssh: Starter = ({ words, input }) => {
  const before = readOptions(words, 1, SSH);
  // ssh(1) reads options after the host as well.
  const after = readOptions(words, before.next + 1, SSH);
  const remote = words.slice(after.next).join(" ");
  const texts: Run[] = [];
  for (const [name, value] of [...before.given, ...after.given]) {
    const local = /^\s*(?:Proxy|Local|Remote)Command[\s=]+(.*)$/is.exec(name === "-o" ? value : "");
    if (local !== null) texts.push({ text: local[1] ?? "" });
  }
  if (remote !== "") texts.push({ text: withInput(remote, input), remote: true });
  else if (input !== undefined) texts.push({ text: input, remote: true });
  return { keep: true, texts };
};

/** The text of `-c text`, `-ctext`, `-qc text`, or of one of the long options. */
function commandOption(words: readonly string[], long: RegExp): string | undefined {
  for (const [index, word] of words.entries()) {
    if (index === 0) continue;
    const match = long.exec(word) ?? /^-[a-zA-Z]*?c([\s\S]*)$/.exec(word);
    if (match !== null)
      return match[1] === undefined || match[1] === "" ? (words[index + 1] ?? "") : match[1];
  }
  return undefined;
}

const su: Starter = (start) => {
  const text = commandOption(start.words, /^--(?:session-)?command(?:=([\s\S]*))?$/);
  return text === undefined ? runsInput(start) : runs(withInput(text, start.input));
};

/** With `-u` it starts a program, without it is su(1). */
const runuser: Starter = (start) => {
  const options = readOptions(start.words, 1, {
    short: "ugGswTc",
    long: "user group supp-group shell command",
  });
  const user = optionValue(options, "-u", "--user") !== undefined;
  return user ? startsWords(start, start.words.slice(options.next)) : su(start);
};

/** script(1), which records what a shell does. */
const script: Starter = (start) => {
  const text = commandOption(start.words, /^--command(?:=([\s\S]*))?$/);
  return text === undefined ? runsInput(start) : runs(withInput(text, start.input));
};

const nixShell: Starter = (start) => {
  const at = start.words.findIndex((word) => word === "--run" || word === "--command");
  return at < 0 ? runsInput(start) : runs(withInput(start.words[at + 1] ?? "", start.input));
};

const crontab: Starter = ({ words, input }) =>
  input !== undefined && words.slice(1).some(isStandardInput)
    ? runs(input, { path: "/var/spool/cron/crontabs/root" })
    : undefined;

/** Interpreters of other languages: `python3 -c`, `perl -e`, `node --eval`, or what they read. */
export const interpreter: Starter = ({ words, input }) => {
  const at = words.findIndex(
    (word, index) => index > 0 && /^-[a-zA-Z]*[cerE]$|^--(eval|print|run)$/.test(word),
  );
  if (at > 0) return runs(words[at + 1] ?? "", { format: "script" });
  const operand = words.slice(1).find((word) => !/^-./.test(word));
  if (input === undefined || (operand !== undefined && !isStandardInput(operand))) return undefined;
  return runs(input, { format: "script" });
};

/** Programs that have a text run, most of them by a shell. */
export const SHELLS: Readonly<Record<string, Starter>> = {
  sh: shell,
  bash: shell,
  dash: shell,
  ash: shell,
  zsh: shell,
  ksh: shell,
  mksh: shell,
  rbash: shell,
  fish: shell,
  csh: shell,
  tcsh: shell,
  sg,
  newgrp: runsInput,
  ".": source,
  source,
  eval: evaluate,
  trap,
  ssh,
  autossh: ssh,
  su,
  runuser,
  script,
  "nix-shell": nixShell,
  crontab,
  at: runsInput,
  batch: runsInput,
};
