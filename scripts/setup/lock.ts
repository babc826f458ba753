/** One process at a time: a lock file that names its owner, taken over when the owner is gone. */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LOCKS } from "./paths.ts";
import { startTime } from "./processes.ts";
import { unwritable } from "./unwritable.ts";

const POLL_MILLISECONDS = 200;
/** A guard lives for microseconds: one this old was left by a killed process. */
const STALE_GUARD_MILLISECONDS = 10_000;

export interface LockOptions {
  /** How long to wait for another owner. Default: 20 minutes. */
  waitSeconds?: number;
  /** The folder of the lock file. Default: `.cache/locks`. */
  folder?: string;
}

/** Runs `run` while no other process runs under the same name. */
export async function withLock<T>(
  name: string,
  run: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const file = join(options.folder ?? LOCKS, `${name}.lock`);
  await take(file, (options.waitSeconds ?? 1_200) * 1_000);
  const release = (): void => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await run();
  } finally {
    process.off("exit", release);
    release();
  }
}

async function take(file: string, waitMilliseconds: number): Promise<void> {
  try {
    await wait(file, waitMilliseconds);
  } catch (error) {
    throw unwritable(error, dirname(file));
  }
}

async function wait(file: string, waitMilliseconds: number): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const deadline = Date.now() + waitMilliseconds;
  let told = false;
  while (!tryTake(file)) {
    const owner = read(file);
    if (owner !== undefined && !alive(owner)) {
      breakStale(file);
      continue;
    }
    if (Date.now() >= deadline) {
      throw new Error(
        `Process ${owner?.split(" ")[0] ?? "unknown"} has held ${file} for longer than ${waitMilliseconds / 1_000} seconds: end that process, or remove the file if it is not part of this project.`,
      );
    }
    if (!told) process.stderr.write(`Waiting for process ${owner?.split(" ")[0] ?? "unknown"} (${file})\n`);
    told = true;
    await sleep(POLL_MILLISECONDS);
  }
}

/** A hard link is atomic and brings the owner with it, so that a lock never lacks its owner. */
function tryTake(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${process.pid} ${mark(process.pid)}`);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Two waiting processes may both see a dead owner: the second must not remove the lock that the first has just
 * taken. So removing happens under a guard, after a second look.
 */
function breakStale(file: string): void {
  const guard = `${file}.breaking`;
  try {
    mkdirSync(guard);
  } catch {
    try {
      if (Date.now() - statSync(guard).mtimeMs > STALE_GUARD_MILLISECONDS)
        rmSync(guard, { recursive: true, force: true });
    } catch {
      // It went away between the two looks: nothing to do.
    }
    return;
  }
  try {
    const owner = read(file);
    if (owner !== undefined && !alive(owner)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function alive(owner: string): boolean {
  const [pid, started] = owner.split(" ");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return started === mark(Number(pid));
}

/** Process numbers are used again: number and start time together are not. Linux only; elsewhere constant. */
const mark = (pid: number): string => startTime(pid) ?? "-";
