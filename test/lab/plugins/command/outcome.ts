// What running a command gives, locally or over SSH.

import type { Context } from "../base/resource.ts";
import { isObject, type Values } from "../base/values.ts";

export type Output = { readonly stdout: string; readonly stderr: string };
export type Run = {
  readonly command: string;
  readonly stdin: string;
  readonly environment: { readonly [name: string]: string };
  /** Variables that may be refused: those of the previous run. */
  readonly previous: { readonly [name: string]: string };
};

export function runOf(command: string, inputs: Values, before: Output): Run {
  const wanted = inputs["addPreviousOutputInEnv"] !== false;
  const previous = { PULUMI_COMMAND_STDOUT: before.stdout, PULUMI_COMMAND_STDERR: before.stderr };
  return {
    command,
    stdin: String(inputs["stdin"] ?? ""),
    environment: isObject(inputs["environment"]) ? (inputs["environment"] as { [name: string]: string }) : {},
    previous: wanted ? Object.fromEntries(Object.entries(previous).filter(([, text]) => text !== "")) : {},
  };
}

/** Collects output, and shows it line by line while it comes. */
export class Collector {
  readonly #chunks: { readonly stream: keyof Output; readonly bytes: Buffer }[] = [];
  readonly #context: Context;
  readonly #logging: string;
  #line = "";

  constructor(context: Context, inputs: Values) {
    this.#context = context;
    this.#logging = String(inputs["logging"] ?? "stdoutAndStderr");
  }

  add(stream: keyof Output, bytes: Buffer): void {
    this.#chunks.push({ stream, bytes });
    if (this.#logging !== stream && this.#logging !== "stdoutAndStderr") return;
    const lines = (this.#line + bytes.toString()).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) this.#context.log("status", line);
  }

  /** The real provider cuts exactly one newline from the end of each. */
  output(): Output {
    if (this.#line !== "") this.#context.log("status", this.#line);
    return {
      stdout: this.#text("stdout").replace(/\n$/, ""),
      stderr: this.#text("stderr").replace(/\n$/, ""),
    };
  }

  /** The whole command and all its output, secret or not: so does the real provider, whatever `logging` says. */
  failed(reason: string, command: string): Error {
    return new Error(`${reason}: running ${JSON.stringify(command)}:\n${this.#text()}`);
  }

  #text(only?: keyof Output): string {
    const wanted = this.#chunks.filter(({ stream }) => only === undefined || stream === only);
    return Buffer.concat(wanted.map(({ bytes }) => bytes)).toString();
  }
}
