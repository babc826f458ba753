import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { findOnPath } from "../../setup/commands.ts";
import { findPython } from "../../setup/python.ts";
import { isAlive, type Result, Running, Terminal } from "./running.ts";

export const SCRIPT = fileURLToPath(new URL("../hermes", import.meta.url));
const DOUBLES = fileURLToPath(new URL("doubles", import.meta.url));
export const SHELLS: ReadonlyArray<{ readonly shell: readonly string[]; readonly name: string }> = [
  { shell: ["dash"], name: "dash" },
  { shell: ["bash", "--posix"], name: "bash --posix" },
];
/** All that the command may use beside the runtime, sudo and systemd's tools: the tests have no other PATH. */
const TOOLS = "base64 cat dash bash grep id printenv rm stat sed seq setsid sh sleep tr".split(" ");
// A version manager's python3 may be a slow script.
const PYTHON = spawnSync(findPython(), ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout.trim();
/** As little as Python does at its start: no site, no environment. */
const PYTHON_LINE = `${PYTHON} -ISE`;

const REPORT = `import json, os, signal, sys
plain = lambda data: data.decode("latin-1")
environ = open("/proc/self/environ", "rb").read().split(b"\\0")[:-1]
print(json.dumps({
  "args": [plain(os.fsencode(word)) for word in sys.argv[1:]],
  "env": dict(plain(line).split("=", 1) for line in environ),
  "cwd": os.getcwd(),
  "terminals": [os.isatty(stream) for stream in range(3)],
  "ignored": [line.split()[1] for line in open("/proc/self/status") if line.startswith("SigIgn")][0],
  "files": sorted(int(name) for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name)),
}))
`;

/** What a terminal obeys, but for the ends of lines and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/;

export interface Report {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly terminals: readonly boolean[];
  readonly ignored: string;
  readonly files: readonly number[];
}

export interface Call {
  readonly backend: string;
  readonly root: boolean;
  readonly argv: readonly string[];
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly prefix?: readonly string[];
}

export interface Settings {
  readonly backend?: "docker" | "podman";
  /** Who runs the command, whoever runs the tests. */
  readonly caller?: "root" | "user";
  readonly secondsOnTerminal?: number;
  readonly seconds?: number;
}

/** A machine in a folder, where `hermes` is installed and the container is the machine itself. */
export class Host {
  readonly folder = mkdtempSync(join(tmpdir(), "hermes command-"));
  readonly script = this.at("bin/hermes");
  readonly work = this.at("work");
  readonly shell: readonly string[];
  readonly backend: "docker" | "podman";
  readonly #running: ChildProcess[] = [];

  constructor(shell: readonly string[] = ["dash"], settings: Settings = {}) {
    this.shell = shell;
    this.backend = settings.backend ?? "podman";
    for (const path of [
      "bin",
      "tools",
      "opt",
      "state/root",
      "state/user",
      "state/home",
      "home/.hermes",
      "work",
      "run",
    ])
      mkdirSync(this.at(path), { recursive: true });
    for (const name of TOOLS) symlinkSync(findOnPath(name)[0] ?? `/bin/${name}`, this.at("tools", name));
    this.install(settings);
    this.double(this.backend, "runtime", this.backend);
    this.tell("caller", settings.caller ?? "user");
    this.tell("users", "hermes root");
    this.tell("path", this.at("tools"));
    this.metadata({});
    this.container("running", this.backend === "docker" ? "root" : "user");
    this.reports();
  }

  /** The script, with the few lines changed that name what is this machine's. */
  install({ caller = "user", seconds = 5, secondsOnTerminal = 1 }: Settings): void {
    const text = [
      ["MARKERS='/run/.containerenv /.dockerenv'", `MARKERS=${this.marker}`],
      ["SYSTEM_PATH=/run/current-system/sw/bin", `SYSTEM_PATH="${this.at("system")}"`],
      ["DEPLOYED=/etc/hermes/container-mode", `DEPLOYED="${this.at("deployed")}"`],
      ["TTY_SECONDS=5", `TTY_SECONDS=${secondsOnTerminal}`],
      ["SECONDS_WITHOUT_TTY=10", `SECONDS_WITHOUT_TTY=${seconds}`],
      ["[ -O / ]", caller === "root" ? "true" : "false"],
      ["/etc/NIXOS", '"$SYSTEM_PATH/etc-NIXOS"'],
    ].reduce(
      (before, [line = "", changed = ""]) => replaceOnce(before, line, changed),
      readFileSync(SCRIPT, "utf8"),
    );
    this.executable(this.script, text);
  }

  /** Changes the installed script, in one place. */
  change(found: string, changed: string): void {
    this.executable(this.script, replaceOnce(readFileSync(this.script, "utf8"), found, changed));
  }

  at(...path: readonly string[]): string {
    return join(this.folder, ...path);
  }

  /** Without a space, since the script's list of them is split at spaces. */
  get marker(): string {
    return join(tmpdir(), `.marker-${createHash("sha256").update(this.folder).digest("hex").slice(0, 16)}`);
  }

  executable(path: string, text: string): void {
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode: 0o755 });
  }

  /** Puts a double on PATH, or another folder. */
  double(name: string, file: string, ...args: readonly string[]): string {
    return this.doubleAt(this.at("bin", name), file, ...args);
  }

  doubleAt(path: string, file: string, ...args: readonly string[]): string {
    const words = [join(DOUBLES, file), this.at("state"), ...args];
    const shell = `#!/bin/sh\nexec /bin/sh ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`;
    // No shell before it, which would have words of its own to say in a folder that is gone.
    const python = `#!${PYTHON_LINE}\nimport sys\nsys.argv[:1] = ${JSON.stringify(words)}\nexec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"))\n`;
    this.executable(path, file.endsWith("ctl") ? shell : python);
    return path;
  }

  /** sudo with a rule for everything, for one command, or (`refuse`) for nothing. */
  sudo(rule = ""): void {
    this.double("sudo", "sudo");
    this.tell("sudo", rule);
  }

  tell(name: string, value: string): void {
    writeFileSync(this.at("state", name), value);
  }

  told(name: string): string {
    const path = this.at("state", name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** The keys that this project writes; a text as it is instead of them. */
  metadata(changes: Readonly<Record<string, string | undefined>> | string | Buffer): void {
    const keys = { backend: this.backend, container_name: "box", hermes_bin: this.bin };
    const lines = (object: object): string =>
      Object.entries(object)
        .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}\n`]))
        .join("");
    const text =
      typeof changes === "string" || Buffer.isBuffer(changes) ? changes : lines({ ...keys, ...changes });
    writeFileSync(this.metadataFile, text);
  }

  get metadataFile(): string {
    return this.at("home/.hermes/.container-mode");
  }

  /** Whose the metadata are, whoever runs the tests. */
  metadataOf(writer: "root" | "caller" | "another"): void {
    const { metadataFile } = this;
    const user = writer === "root" ? 0 : 10_000;
    this.executable(
      this.at("bin/stat"),
      `#!/bin/sh\n[ "$*" = "-L -c %u -- ${metadataFile}" ] || exit 64\necho ${user}\n`,
    );
    const owned = '[ -O "$file" ]';
    this.change(owned, writer === "caller" ? owned : "false");
  }

  container(state: "running" | "exited" | "absent", owner: "root" | "user" = "user", name = "box"): void {
    const path = this.at("state", owner, name);
    if (state === "absent") rmSync(path, { force: true });
    else writeFileSync(path, state);
  }

  /** The container is root's, as a deploy makes it, and sudo has a rule for everything. */
  rootful(): this {
    this.container("absent");
    this.container("running", "root");
    this.metadata({ owner: "root" });
    this.sudo();
    return this;
  }

  readonly bin = this.at("opt/hermes");

  /** The program in the container: shell text. Each of its starts is counted. */
  program(body: string, path = this.bin): void {
    this.executable(path, `#!/bin/sh\necho $$ >> '${this.at("starts")}'\n${body}\n`);
  }

  python(body: string, path = this.bin): void {
    const count = `import os\nwith open(${JSON.stringify(this.at("starts"))}, "a") as f: f.write(f"{os.getpid()}\\n")\n`;
    this.executable(path, `#!${PYTHON_LINE}\n${count}${body}\n`);
  }

  /** The program tells as JSON how it was started. */
  reports(path = this.bin): void {
    this.python(REPORT, path);
  }

  /** The process ids of the program's starts. */
  get starts(): readonly number[] {
    const path = this.at("starts");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).map(Number) : [];
  }

  get calls(): readonly Call[] {
    const lines = this.told("calls").split("\n").slice(0, -1);
    return lines.map((line): Call => JSON.parse(line));
  }

  /** Calls that would start the program, whether they did or not. */
  get attempts(): readonly Call[] {
    return this.calls.filter(({ argv }) => argv.includes("-i"));
  }

  /** Of each attempt. */
  get tokens(): readonly string[] {
    return this.calls.flatMap(({ argv }) =>
      argv.flatMap((word) => /^HERMES_EXEC_TOKEN=(.*)$/.exec(word)?.[1] ?? []),
    );
  }

  /** What a run has left behind on the machine and in the container. */
  get leftovers(): readonly string[] {
    const { tokens } = this;
    const inTmp = readdirSync("/tmp").filter((name) => tokens.some((token) => name.includes(token)));
    return [...inTmp, ...readdirSync(this.at("run"))];
  }

  command(args: readonly string[]): [string, string[]] {
    const [command = "", ...rest] = [...this.shell, this.script, ...args];
    return [command, rest];
  }

  environment({ env = {}, cwd = this.work }: Options): Record<string, string> {
    return {
      PATH: `${this.at("bin")}:${this.at("tools")}`,
      HOME: this.at("home"),
      PWD: cwd,
      XDG_RUNTIME_DIR: this.at("run"),
      ...env,
    };
  }

  /** The command without a terminal. */
  start(args: readonly string[] = [], options: Options = {}): Running {
    const [command = "", ...rest] = [...(options.prefix ?? []), ...this.command(args).flat()];
    const child = spawn(command, rest, { cwd: options.cwd ?? this.work, env: this.environment(options) });
    this.#running.push(child);
    return new Running(child, options.input);
  }

  run(args: readonly string[] = [], options: Options = {}): Promise<Result> {
    const running = this.start(args, options);
    if (options.input === undefined) running.end();
    return running.result;
  }

  async report(args: readonly string[] = [], options: Options = {}): Promise<Report> {
    const { stdout, stderr, status } = await this.run(args, options);
    if (status !== 0) throw new Error(`status ${status}: ${stderr}`);
    return JSON.parse(stdout.toString());
  }

  /** The command on a terminal, or with only standard input and standard error on one. */
  terminal(args: readonly string[] = [], options: Options = {}, which: "both" | "input" = "both"): Terminal {
    return this.onTerminal([...(options.prefix ?? []), ...this.command(args).flat()], options, which);
  }

  /** Any command on a terminal. */
  onTerminal(command: readonly string[], options: Options = {}, which: "both" | "input" = "both"): Terminal {
    const words = ["-ISE", join(DOUBLES, "terminal"), which, "24x80", ...command];
    const child = spawn(PYTHON, words, {
      cwd: options.cwd ?? this.work,
      env: this.environment(options),
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    });
    this.#running.push(child);
    return new Terminal(child);
  }

  /** Whether a process is still that program: its id may be another's by now. */
  #isOurs(pid: number): boolean {
    try {
      return isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(this.folder);
    } catch {
      return false;
    }
  }

  /** Ends what a failed test left, by the ids that this host knows. */
  remove(): void {
    for (const child of this.#running) if (child.exitCode === null) child.kill("SIGKILL");
    for (const pid of this.starts.filter((pid) => this.#isOurs(pid))) process.kill(pid, "SIGKILL");
    rmSync(this.marker, { force: true });
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Makes hosts for the tests of a group, which may run at the same time, and removes them after the last. */
export function hostsOf(shell: readonly string[]): (settings?: Settings) => Host {
  const hosts: Host[] = [];
  afterAll(() => {
    for (const host of hosts) host.remove();
  });
  return (settings) => {
    const host = new Host(shell, settings);
    hosts.push(host);
    return host;
  };
}

function replaceOnce(text: string, found: string, changed: string): string {
  const parts = text.split(found);
  if (parts.length !== 2)
    throw new Error(`${SCRIPT}: ${found} occurs ${parts.length - 1} times; expected once`);
  return parts.join(changed);
}
