import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandsJson, globalOptions, parseCommands, readCommands } from "./commands.ts";

const ANSWERS: Readonly<Record<string, string>> = {
  "--version": "Hermes Agent v0.19.0 (2026.7.20)\nInstall method: docker\n",
  "--help":
    "positional arguments:\n  {logs,security}\n    logs  View logs\n\noptions:\n  --dev  Run sources\n",
  "logs --help": "positional arguments:\n  log_name  Log to view\n",
  "security --help": "positional arguments:\n  <subcommand>\n    audit  Run an audit\n",
};
const READ = {
  hermes: "0.19.0",
  options: { "--dev": "Run sources" },
  commands: {
    logs: { description: "View logs", words: {} },
    security: { description: "", words: { audit: "Run an audit" } },
  },
};
const answers =
  (changes: Readonly<Record<string, string>> = {}) =>
  async (args: readonly string[]): Promise<string> =>
    ({ ...ANSWERS, ...changes })[args.join(" ")] ?? "";

test("a Hermes is read by its version, its help and the help of each subcommand", async () => {
  expect(await readCommands(answers())).toEqual(READ);
});

test("what was read is what commands.json keeps", () => {
  expect(parseCommands(commandsJson(READ))).toEqual(READ);
});

test("a program that says no version is refused", async () => {
  await expect(readCommands(answers({ "--version": "podman: not found" }))).rejects.toThrow("hermes");
});

test("a help without subcommands is refused", async () => {
  await expect(readCommands(answers({ "--help": "Error: no container" }))).rejects.toThrow("no subcommands");
});

test("a word that a shell would not take as it is, is refused", () => {
  const odd = { ...READ, commands: { "logs;reboot": { description: "", words: {} } } };
  expect(() => parseCommands(JSON.stringify(odd))).toThrow("logs;reboot");
});

test("a description of two lines is refused", () => {
  const odd = { ...READ, commands: { logs: { description: "View\nlogs", words: {} } } };
  expect(() => parseCommands(JSON.stringify(odd))).toThrow("description");
});

test("an option's names, and whether it takes a value or may take one", () => {
  const options = {
    "--version, -V": "Show version",
    "-m MODEL, --model MODEL": "Model",
    "--continue [SESSION_NAME], -c [SESSION_NAME]": "Resume",
  };
  expect(globalOptions({ ...READ, options }).slice(0, 3)).toEqual([
    { names: ["--version", "-V"], value: undefined, optional: false, description: "Show version" },
    { names: ["-m", "--model"], value: "MODEL", optional: false, description: "Model" },
    { names: ["--continue", "-c"], value: "SESSION_NAME", optional: true, description: "Resume" },
  ]);
});

test("--profile, which no help names, is a global option", () => {
  expect(globalOptions(READ).map(({ names }) => names)).toEqual([["--dev"], ["-p", "--profile"]]);
});

test("an option of another form is refused", () => {
  const options = { "-m {a,b}": "Model" };
  expect(() => globalOptions({ ...READ, options })).toThrow("not an option of argparse: -m {a,b}");
});

const read = (...args: string[]) =>
  spawnSync(process.execPath, [fileURLToPath(new URL("read.ts", import.meta.url)), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...Object.fromEntries(Object.entries(ANSWERS).map(([k, v]) => [variable(k), v])) },
  });
const variable = (args: string): string => `answer_${args.replaceAll(/[^a-z]/g, "_")}`;

test("read.ts prints commands.json of the Hermes that its command runs", () => {
  const script = 'printenv "answer_$(printf %s "$*" | tr -c a-z _)"';
  expect(read("sh", "-c", script, "hermes")).toMatchObject({ status: 0, stdout: commandsJson(READ) });
});

test("read.ts without a command says how it is called", () => {
  expect(read()).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("usage:") });
});
