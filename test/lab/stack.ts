import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../scripts/setup/paths.ts";
import type { StackName } from "./record.ts";

/** The engine on a lab's stack. */
export class Stack {
  readonly name: StackName;
  readonly pulumi: string;
  readonly env: NodeJS.ProcessEnv;
  readonly file: string;

  constructor(name: StackName, pulumi: string, env: NodeJS.ProcessEnv, file: string) {
    this.name = name;
    this.pulumi = pulumi;
    this.env = env;
    this.file = file;
  }

  /** Arguments that every command on the stack takes. */
  get selection(): string[] {
    return ["--stack", this.name, "--config-file", this.file];
  }

  /** Writes the stack's file, and makes the stack when there is none. Secrets have to be set after it. */
  create(text: string): void {
    const folder = dirname(this.file);
    writeFileSync(this.file, `${text}${salt(this.file)}`);
    // Making a stack writes its salt into the stack file of the current folder: not into the shipped one.
    copyFileSync(join(ROOT, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
    execFileSync(this.pulumi, ["stack", "select", "--create", this.name, "--non-interactive"], {
      cwd: folder,
      env: this.env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }

  /** Runs a command to its end. @returns its output. @throws Error with all that it said. */
  run(args: readonly string[], input = ""): string {
    const all = [...args, "--non-interactive", "--color", "never", ...this.selection];
    return execFileSync(this.pulumi, all, {
      cwd: ROOT,
      env: this.env,
      input,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
  }

  /** The state as it is kept: secrets encrypted. @throws Error with all that it said. */
  export(...options: "--show-secrets"[]): string {
    // It takes no stack file.
    const args = ["stack", "export", ...options, "--stack", this.name, "--non-interactive"];
    return execFileSync(this.pulumi, args, {
      cwd: ROOT,
      env: this.env,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
  }

  outputs(): Readonly<{ [name: string]: string }> {
    const text = execFileSync(this.pulumi, ["stack", "output", "--json", "--stack", this.name], {
      cwd: ROOT,
      env: this.env,
      encoding: "utf8",
    });
    return JSON.parse(text) as { [name: string]: string };
  }
}

/** The salt line of an earlier file: the state was encrypted with it. */
function salt(file: string): string {
  if (!existsSync(file)) return "";
  return /^encryptionsalt: .*\n?/m.exec(readFileSync(file, "utf8"))?.[0] ?? "";
}
