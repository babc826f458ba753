import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { ROOT } from "../../scripts/setup/paths.ts";
import type { Stack } from "./stack.ts";

export interface Result {
  readonly status: number | null;
  /** All that it said, on both streams. */
  readonly output: string;
}

/** What a person does with a lab's stack: edits its file, and runs the engine. */
export class Deploys {
  readonly #stack: Stack;

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  /** Runs a command of the engine to its end. This process goes on meanwhile: what it serves can be reached. */
  pulumi(...args: string[]): Promise<Result> {
    const all = [...args, "--non-interactive", "--color", "never", ...this.#stack.selection];
    return new Promise((resolve, reject) => {
      const child = spawn(this.#stack.pulumi, all, {
        cwd: ROOT,
        env: this.#stack.env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8");
        stream.on("data", (text: string) => {
          output += text;
        });
      }
      child.once("error", reject);
      child.once("close", (status) => resolve({ status, output }));
    });
  }

  /** Runs `up` with the policy pack. @throws Error with all that it said when it ends otherwise than expected. */
  async up(expected: "success" | "failure" = "success"): Promise<string> {
    const { status, output } = await this.pulumi("up", "--yes", "--policy-pack", "policy");
    const outcome = status === 0 ? "success" : "failure";
    if (outcome !== expected) throw new Error(`\`up\` ended in ${outcome}:\n${output}`);
    return output;
  }

  /** Edits the stack file of the lab. */
  edit(path: readonly (string | number)[], value: unknown): void {
    const document = parseDocument(readFileSync(this.#stack.file, "utf8"));
    document.setIn(["config", ...path], value);
    writeFileSync(this.#stack.file, document.toString());
  }

  /** Runs `use` with a value in the stack file, and puts back what stood there. */
  async with<T>(path: readonly (string | number)[], value: unknown, use: () => Promise<T>): Promise<T> {
    const before = readFileSync(this.#stack.file, "utf8");
    this.edit(path, value);
    try {
      return await use();
    } finally {
      writeFileSync(this.#stack.file, before);
    }
  }
}
