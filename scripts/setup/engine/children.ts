/** The processes that the language host runs: their exit, and their end when nobody waits for them any more. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

/** The engine gives a plugin 5 seconds between SIGINT and SIGKILL (resource/plugin, ExecPlugin). */
const GRACE_MILLISECONDS = 3_000;

const running = new Set<ChildProcess>();

/** Starts this same Node, so that programs and policy packs run on the Node that was chosen. */
export function startNode(args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, args, options);
  running.add(child);
  const forget = (): void => void running.delete(child);
  child.once("close", forget).once("error", forget);
  return child;
}

/** SIGTERM, then SIGKILL for a child that does not go. */
export function endChild(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MILLISECONDS);
  child.once("exit", () => clearTimeout(timer));
}

/** Ends all of them; resolves when they are gone. */
export async function endChildren(): Promise<void> {
  await Promise.all(
    [...running].map(
      (child) =>
        new Promise<void>((resolve) => {
          child.once("close", () => resolve()).once("error", () => resolve());
          endChild(child);
        }),
    ),
  );
}
