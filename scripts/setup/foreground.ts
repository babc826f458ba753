/** A program in the place of this one: it has the terminal, its signals reach it, and its status is the result. */
import { spawn } from "node:child_process";
import { constants } from "node:os";

export interface ForegroundOptions {
  cwd?: string;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

/** Signals that are often sent to one process alone: by a shutdown, by `kill`, by a container's runtime. */
const FORWARDED: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP"];

/** Runs a program until it ends. @returns its exit status; 128 and the signal's number when a signal ended it. */
export function foreground(
  program: string,
  args: readonly string[],
  options: ForegroundOptions = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    // Ctrl-C reaches the child from the terminal: a second one would mean "at once" to the engine.
    const wait = (): void => {};
    for (const signal of FORWARDED) process.on(signal, forward);
    process.on("SIGINT", wait);
    const child = spawn(program, args, { ...options, stdio: "inherit" });
    const stopWatching = (): void => {
      for (const signal of FORWARDED) process.off(signal, forward);
      process.off("SIGINT", wait);
    };
    child.once("error", (error) => {
      stopWatching();
      reject(new Error(`${program} could not be started: ${error.message}`));
    });
    child.once("exit", (status, signal) => {
      stopWatching();
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
