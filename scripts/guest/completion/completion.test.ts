import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findOnPath } from "../../setup/commands.ts";
import { globalOptions, parseCommands } from "./commands.ts";

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const table = parseCommands(file("commands.json"));
const commands = Object.keys(table.commands);
const options = globalOptions(table).flatMap(({ names }) => names);

const [BASH = "bash"] = findOnPath("bash");
const empty = mkdtempSync(join(tmpdir(), "completion-"));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

/** A restricted shell with an empty PATH can start no program at all. */
function bash(script: string): string {
  const { stdout, stderr } = spawnSync(BASH, ["--noprofile", "--norc", "-r", "-c", script], {
    encoding: "utf8",
    cwd: empty,
    env: { PATH: empty },
  });
  expect(stderr).toBe("");
  return stdout;
}
const lines = (text: string): string[] => text.split("\n").slice(0, -1);
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

describe("in bash", () => {
  /** What Tab offers behind these words, the last of which is at the cursor; settings are the user's own. */
  const complete = (words: readonly string[], settings = ""): string[] =>
    lines(
      bash(`${file("hermes.bash")}
${settings}
COMP_WORDS=(hermes ${words.map(quoted).join(" ")})
COMP_CWORD=${words.length}
_hermes hermes ${quoted(words.at(-1) ?? "")} ${quoted(words.at(-2) ?? "hermes")}
for reply in "\${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done`),
    );

  test("the first word is any subcommand", () => {
    expect(commands).toContain("gateway");
    expect(complete([""])).toEqual(commands);
  });

  test("a beginning brings what goes on like it", () => {
    expect(complete(["mem"])).toEqual(["memory-graph", "memory"]);
    expect(complete(["gateway", "st"])).toEqual(["start", "stop", "status"]);
  });

  test("a dash brings the global options", () => {
    expect(options).toEqual(expect.arrayContaining(["--help", "-z", "--profile"]));
    expect(complete(["-"])).toEqual(options);
    expect(complete(["--mo"])).toEqual(["--model"]);
    expect(complete(["--tui", "--yo"])).toEqual(["--yolo"]);
  });

  test.each(commands)("the second word of %s is any of its own", (command) => {
    expect(complete([command, ""])).toEqual(Object.keys(table.commands[command]?.words ?? {}));
  });

  test("options before the subcommand do not hide it, nor do their values", () => {
    const run = ["run"];
    expect(complete(["--yolo", "gateway", "ru"])).toEqual(run);
    expect(complete(["-m", "cron", "gateway", "ru"])).toEqual(run);
    expect(complete(["--profile", "work", "-m", "cron", "gateway", "ru"])).toEqual(run);
    expect(complete(["--model", "=", "cron", "gateway", "ru"])).toEqual(run);
    expect(complete(["--model=cron", "gateway", "ru"])).toEqual(run);
  });

  test("a word behind --continue is the session's name, as Hermes takes it, a further option is none", () => {
    expect(complete(["-c", "cron", "gateway", "ru"])).toEqual(["run"]);
    expect(complete(["--continue", "=", "cron", "gateway", "ru"])).toEqual(["run"]);
    expect(complete(["-c", "--tui", "gateway", "ru"])).toEqual(["run"]);
    expect(complete(["-c", "--tu"])).toEqual(["--tui"]);
    expect(complete(["-c", ""])).toEqual([]);
  });

  test("an option's value is left to files", () => {
    expect(complete(["--usage-file", ""])).toEqual([]);
    expect(complete(["--usage-file", "="])).toEqual([]);
    expect(complete(["--usage-file", "=", "c"])).toEqual([]);
  });

  test("options behind the subcommand do not hide that the second word is to come", () => {
    expect(complete(["gateway", "--accept-hooks", "ru"])).toEqual(["run"]);
  });

  test("global options are not offered behind a subcommand, which has its own", () => {
    expect(complete(["gateway", "-"])).toEqual([]);
  });

  test("behind the second word, and behind an unknown subcommand, it is files", () => {
    expect(complete(["gateway", "run", ""])).toEqual([]);
    expect(complete(["gateway", "gateway", ""])).toEqual([]);
    expect(complete(["no-such-command", ""])).toEqual([]);
  });

  test("where nothing is offered, bash completes files", () => {
    expect(bash(`${file("hermes.bash")}\ncomplete -p hermes`)).toBe(
      "complete -o bashdefault -o default -F _hermes hermes\n",
    );
  });

  test("it holds under set -eu, and with any IFS", () => {
    expect(complete(["--model", "x", "gateway", ""], "set -eu; IFS=ta")).toEqual(
      Object.keys(table.commands["gateway"]?.words ?? {}),
    );
    expect(complete(["no-such-command", ""], "set -eu")).toEqual([]);
  });

  test("what the user types is no pattern", () => {
    expect(complete(["*"])).toEqual([]);
    expect(complete(["cron", "?un"])).toEqual([]);
  });

  test("what the Tab before offered is gone", () => {
    expect(complete(["gateway", "ru"], "COMPREPLY=(old)")).toEqual(["run"]);
  });

  test("it leaves no variable of its own behind", () => {
    const names = "current command index word words";
    const script = `${file("hermes.bash")}\nCOMP_WORDS=(hermes cron '') COMP_CWORD=2; _hermes hermes '' cron`;
    expect(bash(`${script}\nfor name in ${names}; do printf '%s' "\${!name-}"; done`)).toBe("");
  });
});

/** Its text alone, with bash to take the quotes and braces, which are the same in zsh, apart. */
describe("the text for zsh", () => {
  const text = file("_hermes");
  const described = (words: Readonly<Record<string, string>>): string[] =>
    Object.entries(words).map(([word, description]) =>
      description === "" ? word : `${word}:${description}`,
    );
  const array = (literal: string): string[] => lines(bash(`printf '%s\\n' ${literal.replaceAll("\n", " ")}`));

  test("it says in its first line which command it completes", () => {
    expect(text.split("\n", 1)).toEqual(["#compdef hermes"]);
  });

  test("it gives each subcommand with its description", () => {
    const literal = /== command \]\]; then\n {2}words_here=\(\n(.*?)\n {2}\)\n/s.exec(text)?.[1] ?? "";
    expect(array(literal)).toEqual(
      described(Object.fromEntries(Object.entries(table.commands).map(([k, v]) => [k, v.description]))),
    );
  });

  test("it gives the words of each subcommand that has some, with their descriptions", () => {
    const found = [...text.matchAll(/^ {4}([a-z-]+)\) words_here=\(\n(.*?)\n {4}\) ;;$/gms)].map(
      ([, command, literal]) => [command, array(literal ?? "")],
    );
    const expected = Object.entries(table.commands)
      .filter(([, { words }]) => Object.keys(words).length > 0)
      .map(([command, { words }]) => [command, described(words)]);
    expect(expected).toHaveLength(38);
    expect(found).toEqual(expected);
  });

  test("it gives each global option, its description, and whether a value follows", () => {
    const call = /^_arguments .*?^ {2}'1: /ms.exec(text)?.[0] ?? "";
    const specs = lines(bash(`_arguments() { printf '%s\\n' "\${@:4}"; }\n${call}'`)).slice(0, -1);
    const expected = globalOptions(table).flatMap(({ names, value, optional, description }) =>
      names.map((name) => {
        const form = value === undefined ? name : `${name}${name.startsWith("--") ? "=" : "+"}`;
        const argument = value === undefined ? "" : `${optional ? "::" : ":"}${value}:_files`;
        return `*${form}[${description.replaceAll(":", "\\:")}]${argument}`;
      }),
    );
    expect(specs).toEqual(expected);
  });

  test("what is left is files", () => {
    expect(text.endsWith("\nfi\n_files\n")).toBe(true);
  });
});
