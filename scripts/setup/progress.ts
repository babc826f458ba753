/** Long steps with a progress line, an estimate, a log file, and an error that says what went wrong. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { LOGS, ROOT } from "./paths.ts";
import { endGroup, signalGroup } from "./processes.ts";

/** How often a step says that it is still running where the line cannot be rewritten. */
const REMINDER_SECONDS = 30;
const LAST_LINES = 15;

export interface StepOptions {
  /** What the reader sees, for example "Pulumi engine: building". */
  title: string;
  /** The name of the log file below `.cache/logs`, without `.log`. */
  log: string;
  estimateSeconds: number;
  command: [string, ...string[]];
  /** Default: the project's root. */
  cwd?: string;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** After this the command is ended, and the step fails. Default: no limit. */
  timeoutSeconds?: number;
  /** Ends the command and fails the step. */
  signal?: AbortSignal;
  /** True for a step whose failure has a fallback: it ends with "not possible" instead of "failed". */
  mayFail?: boolean;
}

/** A step's command failed; `output` is the whole log, to tell reasons apart. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly output: string;
  /** Somebody ended it: that says nothing about whether the command would have succeeded. */
  readonly interrupted: boolean;
  constructor(message: string, output: string, interrupted = false) {
    super(message);
    this.output = output;
    this.interrupted = interrupted;
  }
}

export const isInterruption = (error: unknown): boolean => error instanceof StepError && error.interrupted;

/** Runs a command with its output in a log file, until it ends; throws `StepError` when it fails. */
export async function step(options: StepOptions): Promise<void> {
  options.signal?.throwIfAborted();
  mkdirSync(LOGS, { recursive: true });
  const log = join(LOGS, `${options.log}.log`);
  const file = openSync(log, "w");
  writeSync(file, `$ ${options.command.join(" ")}\n`);
  const [program, ...args] = options.command;
  let child: ChildProcess;
  try {
    // A group of its own, so that ending it also ends what it started.
    child = spawn(program, args, {
      cwd: options.cwd ?? ROOT,
      env: options.env ?? process.env,
      detached: true,
      stdio: ["ignore", file, file],
    });
  } finally {
    closeSync(file);
  }
  const line = new ProgressLine(options.title, options.estimateSeconds, options.mayFail ?? false);
  try {
    const failure = await untilDone(child, options);
    if (failure !== undefined) {
      const output = readFileSync(log, "utf8");
      const message = describe(options, failure.outcome, output, log);
      throw new StepError(message, output, failure.interrupted ?? false);
    }
    line.succeed();
  } catch (error) {
    line.fail();
    throw error;
  }
}

/** The same progress line around an async function. */
export async function stepFunction<T>(
  title: string,
  estimateSeconds: number,
  run: () => Promise<T>,
): Promise<T> {
  const line = new ProgressLine(title, estimateSeconds, false);
  try {
    const result = await run();
    line.succeed();
    return result;
  } catch (error) {
    line.fail();
    throw error;
  }
}

interface Failure {
  outcome: string;
  interrupted?: boolean;
}

/** The signals by which a person, a shutdown or a closed terminal ends a program. */
const INTERRUPTIONS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Undefined when the command succeeded, else what happened to it. */
function untilDone(child: ChildProcess, options: StepOptions): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    let reason: Failure | undefined;
    const end = (failure: Failure): Promise<void> => {
      reason ??= failure;
      return endGroup(child);
    };
    const timer =
      options.timeoutSeconds === undefined
        ? undefined
        : setTimeout(
            () => end({ outcome: `took longer than ${duration(options.timeoutSeconds ?? 0)}` }),
            options.timeoutSeconds * 1_000,
          );
    const onAbort = (): void => void end({ outcome: "was stopped", interrupted: true });
    const onExit = (): void => void signalGroup(child, "SIGKILL");
    const onSignal = (signal: NodeJS.Signals): void => {
      // Ends the child first, then this process as the signal would have.
      void end({ outcome: `was interrupted by ${signal}`, interrupted: true }).then(() => {
        stopWatching();
        process.kill(process.pid, signal);
      });
    };
    const stopWatching = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
      process.off("exit", onExit);
      for (const signal of INTERRUPTIONS) process.off(signal, onSignal);
    };
    options.signal?.addEventListener("abort", onAbort);
    process.on("exit", onExit);
    for (const signal of INTERRUPTIONS) process.on(signal, onSignal);

    child.once("error", (error) => {
      stopWatching();
      resolve({ outcome: `could not be started: ${error.message}` });
    });
    child.once("close", (status, signal) => {
      stopWatching();
      if (reason !== undefined) resolve(reason);
      else if (signal !== null)
        resolve({ outcome: `was ended by ${signal}`, interrupted: INTERRUPTIONS.includes(signal) });
      else resolve(status === 0 ? undefined : { outcome: `exited with ${status}` });
    });
  });
}

function describe(options: StepOptions, outcome: string, output: string, log: string): string {
  // The first line is the command itself.
  const lines = output.trimEnd().split("\n").slice(1);
  const last = lines.slice(-LAST_LINES).map((text) => `    ${text}`);
  return [
    `${options.title}: ${options.command[0]} ${outcome}.`,
    ...(last.length > 0 ? ["The last lines of its output:", ...last] : ["It printed nothing."]),
    `The whole log: ${log}`,
  ].join("\n");
}

/** "40 seconds", "5 minutes": as exact as an estimate is. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} second${Math.round(seconds) === 1 ? "" : "s"}`;
  return `${Math.round(seconds / 60)} minutes`;
}

/** Only one line of a terminal can be the one that is rewritten. */
let rewriting: ProgressLine | undefined;

/** Goes to stderr: stdout belongs to the command that the person typed. */
class ProgressLine {
  readonly #title: string;
  readonly #started = Date.now();
  readonly #estimate: string;
  readonly #mayFail: boolean;
  readonly #timer: NodeJS.Timeout;

  constructor(title: string, estimateSeconds: number, mayFail: boolean) {
    this.#title = title;
    this.#mayFail = mayFail;
    this.#estimate = `about ${duration(estimateSeconds)}`;
    const rewrites = process.stderr.isTTY && rewriting === undefined;
    if (rewrites) rewriting = this;
    process.stderr.write(`${title} (${this.#estimate})${rewrites ? "" : "\n"}`);
    this.#timer = setInterval(() => this.#remind(), (rewrites ? 1 : REMINDER_SECONDS) * 1_000).unref();
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#started) / 1_000);
  }

  #remind(): void {
    const text = `${this.#title} … ${this.#seconds()} s of ${this.#estimate}`;
    process.stderr.write(rewriting === this ? `\r\u001b[K${text}` : `${text}\n`);
  }

  #end(text: string): void {
    clearInterval(this.#timer);
    process.stderr.write(`${rewriting === this ? "\r\u001b[K" : ""}${this.#title}: ${text}\n`);
    if (rewriting === this) rewriting = undefined;
  }

  succeed(): void {
    this.#end(`done in ${this.#seconds()} s`);
  }

  fail(): void {
    this.#end(`${this.#mayFail ? "not possible here" : "failed"} after ${this.#seconds()} s`);
  }
}
