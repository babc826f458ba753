import { spawn } from "node:child_process";
import { quote } from "../../../scripts/setup/quote.ts";

export interface Answer {
  /** Exit status; 255 also when ssh itself failed. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A machine that is asked over SSH, as root. */
export class SshMachine {
  readonly #args: readonly string[];

  /** @param args options and destination for ssh. */
  constructor(args: readonly string[]) {
    const own = ["-F", "none", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "LogLevel=ERROR"];
    this.#args = [...own, ...args];
  }

  /** Runs a command of sh to its end. @throws Error when it takes longer than `seconds`. */
  run(command: string, options: { seconds?: number; input?: string } = {}): Promise<Answer> {
    const { seconds = 120, input = "" } = options;
    return new Promise((resolve, reject) => {
      const child = spawn("ssh", [...this.#args, `sudo -n sh -c ${quote(command)}`], { stdio: "pipe" });
      const [out, err] = [collect(child.stdout), collect(child.stderr)];
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`\`${command}\` did not end within ${seconds} s: ${out()}${err()}`));
      }, seconds * 1000);
      child.once("error", (error) => {
        clearTimeout(timer);
        reject(error);
      });
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve({ code: code ?? 255, out: out(), err: err() });
      });
      // A command that does not read its input closes the pipe.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }

  /** @returns what it printed. @throws Error when the command fails. */
  async exec(command: string, options: { seconds?: number; input?: string } = {}): Promise<string> {
    const { code, out, err } = await this.run(command, options);
    if (code !== 0) throw new Error(`\`${command}\` failed with ${code}: ${(err || out).trim()}`);
    return out;
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
