import { HOLE } from "../unknown.ts";
import { optionValue, readOptions } from "./options.ts";
import { isStandardInput, type Run, runs, type Start, type Starter, startsWords } from "./starter.ts";

/** Subcommands of tmux(1) that start a program, or a shell for a text. */
const TMUX_STARTS =
  /^(new|new-session|neww|new-window|splitw|split-window|respawnp|respawn-pane|respawnw|respawn-window|popup|display-popup)$/;
const TMUX_TEXTS = /^(run|run-shell|if|if-shell|pipep|pipe-pane)$/;

const tmux: Starter = (start) => {
  const { words } = start;
  const starts: Start[] = [];
  const texts: Run[] = [];
  const { next: first } = readOptions(words, 1, { short: "cfLST" });
  for (let at = first; at < words.length; ) {
    const end = words.indexOf(";", at);
    const part = words.slice(at, end < 0 ? words.length : end);
    at = end < 0 ? words.length : end + 1;
    const [subcommand = ""] = part;
    const popup = /popup/.test(subcommand);
    const { next } = readOptions(part, 1, { short: popup ? "bcdehsStTwxy" : "ceFflnNstxy" });
    const rest = part.slice(next);
    if (TMUX_TEXTS.test(subcommand)) texts.push(...rest.map((text) => ({ text })));
    else if (/^send(-keys)?$/.test(subcommand)) texts.push({ text: typed(rest) });
    else if (TMUX_STARTS.test(subcommand)) {
      if (rest.length === 1) texts.push({ text: rest[0] ?? "" });
      else if (rest.length > 1) starts.push({ ...start, words: rest });
    }
  }
  return { keep: true, starts, texts };
};

/** Keys that are typed into a terminal, as lines. */
const typed = (keys: readonly string[]): string =>
  keys
    .map((key) =>
      /^(Enter|C-m|C-j|KPEnter)$/.test(key) ? "\n" : key === "Space" ? " " : key.replace(/\\[nr]|\^M/g, "\n"),
    )
    .join("");

const screen: Starter = (start) => {
  const options = readOptions(start.words, 1, { short: "cehpSstT" });
  const rest = start.words.slice(options.next);
  // `-X` sends a command to a running one: `stuff` types, `screen` and `exec` start.
  if (optionValue(options, "-X") === undefined) return startsWords(start, rest, true);
  return rest[0] === "stuff" ? runs(typed(rest.slice(1))) : startsWords(start, rest.slice(1), true);
};

/** Arguments of the options of bwrap(1); all others have one. */
const BWRAP_NONE =
  /^--(unshare-(all|user|user-try|ipc|pid|net|uts|cgroup|cgroup-try)|share-net|die-with-parent|new-session|as-pid-1|clearenv|disable-userns|assert-userns-disabled)$/;
const BWRAP_TWO = /^--((ro-|dev-)?bind(-try|-data|-fd)?|ro-bind-(try|data|fd)|symlink|setenv|file|chmod)$/;

const bwrap: Starter = (start) => {
  const { words } = start;
  let next = 1;
  while (words[next]?.startsWith("--") && words[next] !== "--") {
    const word = words[next] ?? "";
    next += BWRAP_NONE.test(word) ? 1 : BWRAP_TWO.test(word) ? 3 : 2;
  }
  if (words[next] === "--") next += 1;
  return startsWords(start, words.slice(next), true);
};

/** capsh(1): what follows `--` are the arguments of a shell. */
const capsh: Starter = (start) => {
  const at = start.words.findIndex((word) => word === "--" || word === "==");
  return at < 0 ? undefined : startsWords(start, ["bash", ...start.words.slice(at + 1)], true);
};

/** A makefile that is read from the input: each line of a recipe is a shell's, without its tab and marks. */
const make: Starter = ({ words, input }) => {
  const file = optionValue(
    readOptions(words, 1, { short: "fCIjlo", long: "file makefile directory" }),
    "-f",
    "--file",
    "--makefile",
  );
  return input === undefined || file === undefined || !isStandardInput(file)
    ? undefined
    : runs(`# Recipes\n${input.replace(/^\t[@+-]*/gm, "")}`);
};

/** git(1) runs aliases and helpers that begin with `!`, and the programs that it is told to use. */
const git: Starter = ({ words }) => {
  const texts: Run[] = [];
  words.forEach((word, index) => {
    const pair = /^[A-Za-z][\w.-]*\.[\w.*-]+=([\s\S]*)$/.exec(word);
    const value = pair?.[1] ?? (/^alias\./.test(words[index - 1] ?? "") ? word : "");
    if (value.startsWith("!")) texts.push({ text: value.slice(1) });
    else if (/^core\.(sshcommand|pager|editor|fsmonitor|askpass)=/i.test(word)) texts.push({ text: value });
  });
  const each = words.indexOf("foreach");
  if (words.includes("submodule") && each > 0) texts.push({ text: words.slice(each + 1).join(" ") });
  return texts.length === 0 ? undefined : { keep: true, texts };
};

const awk: Starter = ({ words, input }) => {
  const options = readOptions(words, 1, { short: "Fvfeib", long: "field-separator assign file source" });
  const file = optionValue(options, "-f", "--file");
  if (file !== undefined) {
    return isStandardInput(file) && input !== undefined ? runs(input, { format: "script" }) : undefined;
  }
  const program = optionValue(options, "-e", "--source") ?? words[options.next] ?? HOLE;
  return /system|getline|\|/.test(program) ? runs(program, { format: "script" }) : undefined;
};

/** Programs of many uses that also start others. */
export const PROGRAMS: Readonly<Record<string, Starter>> = {
  tmux,
  screen,
  bwrap,
  capsh,
  make,
  gmake: make,
  git,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
};
