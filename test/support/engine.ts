import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import { ensureEngine } from "../../scripts/setup/engine.ts";
import { pulumiEnvironment } from "../../scripts/setup/environment.ts";
import { ROOT } from "../../scripts/setup/paths.ts";

export interface Result {
  readonly status: number | null;
  /** Standard output and standard error together. */
  readonly output: string;
}

/** A stack on the real engine, with a state and a stack file of its own in a temporary folder. */
export class ScratchStack {
  readonly #pulumi: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;
  readonly #program: string;

  private constructor(pulumi: string, env: NodeJS.ProcessEnv, folder: string, program: string) {
    this.#pulumi = pulumi;
    this.#env = env;
    this.#folder = folder;
    this.#program = program;
  }

  /** @param program folder of the program; default: this project. */
  static async make(program = ROOT): Promise<ScratchStack> {
    const folder = mkdtempSync(join(tmpdir(), "hermes-engine-"));
    mkdirSync(join(folder, "state"));
    const engine = await ensureEngine();
    const backendUrl = pathToFileURL(join(folder, "state")).href;
    // With that variable the CLI has --event-log.
    const env = {
      ...pulumiEnvironment({ engine, backendUrl, passphrase: "scratch" }),
      PULUMI_DEBUG_COMMANDS: "true",
    };
    const stack = new ScratchStack(engine.pulumi, env, folder, program);
    // Making a stack writes a stack file into the current folder: not into the program's.
    copyFileSync(join(program, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
    const made = stack.#call(["stack", "init", "scratch"], folder);
    if (made.status !== 0) throw new Error(`no stack could be made:\n${made.output}`);
    return stack;
  }

  /** Runs a command with this configuration, keys to text as the engine has it. */
  run(args: readonly string[], config: Readonly<Record<string, string>> = {}): Result {
    return this.#call([...args, ...this.#select(config)]);
  }

  /** The same, while others run. One stack runs one command at a time. */
  start(args: readonly string[], config: Readonly<Record<string, string>> = {}): Promise<Result> {
    const { command, options } = this.#command([...args, ...this.#select(config)]);
    return new Promise((resolve) => {
      execFile(this.#pulumi, command, options, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === "number" ? error.code : null;
        resolve({ status, output: `${stdout}${stderr}` });
      });
    });
  }

  /** Writes the configuration; the options that select it and the stack. */
  #select(config: Readonly<Record<string, string>>): string[] {
    const tree = Object.fromEntries(Object.entries(config).map(([key, text]) => [key, parsed(text)]));
    const file = join(this.#folder, "Pulumi.scratch.yaml");
    const selection = ["--stack", "scratch", "--config-file", file];
    const secrets = secretsOf(tree).flatMap(([path, text]) => ["--secret", `${path}=${text}`]);
    writeFileSync(file, stringify({ config: tree }));
    if (secrets.length > 0) {
      const set = this.#call(["config", "set-all", "--path", ...secrets, ...selection]);
      if (set.status !== 0) throw new Error(`the secrets could not be set:\n${set.output}`);
    }
    return selection;
  }

  /** URNs in the state, without the stack itself. */
  resources(): string[] {
    const { output } = this.#call(["stack", "export", "--stack", "scratch"]);
    const state = JSON.parse(output) as { deployment: { resources?: { urn: string; type: string }[] } };
    return (state.deployment.resources ?? [])
      .filter(({ type }) => type !== "pulumi:pulumi:Stack" && !type.startsWith("pulumi:providers:"))
      .map(({ urn }) => urn);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #command(args: readonly string[], cwd = this.#program) {
    const command = [...args, "--non-interactive", "--color", "never"];
    return { command, options: { cwd, env: this.#env, encoding: "utf8", maxBuffer: 2 ** 28 } as const };
  }

  #call(args: readonly string[], cwd?: string): Result {
    const { command, options } = this.#command(args, cwd);
    const { status, stdout, stderr } = spawnSync(this.#pulumi, command, options);
    return { status, output: args.includes("export") ? stdout : `${stdout}${stderr}` };
  }
}

/** What a person sets with --secret; taken out of the tree. The values are a test's own, so they may be arguments. */
function secretsOf(tree: { [key: string]: unknown }): [path: string, text: string][] {
  const found: [string, string][] = [];
  const ssh = tree["hermes:ssh"] as { privateKey?: string } | undefined;
  if (ssh?.privateKey !== undefined) {
    found.push(["hermes:ssh.privateKey", ssh.privateKey]);
    delete ssh.privateKey;
    if (Object.keys(ssh).length === 0) delete tree["hermes:ssh"];
  }
  const token = tree["proxmoxve:apiToken"];
  if (typeof token === "string") {
    found.push(["proxmoxve:apiToken", token]);
    delete tree["proxmoxve:apiToken"];
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
