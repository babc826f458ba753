/** Locks that a killed engine left on a stack in a state folder: it has no server that would end them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { isGone } from "./processes.ts";

/** What the engine writes into a lock (lockContent in its pkg/backend/diy/lock.go). */
interface Lock {
  readonly pid: number;
  readonly hostname: string;
  readonly timestamp: string;
}

/**
 * The process ids of a stack's locks when all of them were left by processes of this machine that are gone;
 * none when there is any other lock, since `pulumi cancel` removes all.
 */
export function staleLocks(stateFolder: string, stack: string): number[] {
  const folder = join(stateFolder, ".pulumi", "locks");
  if (!existsSync(folder)) return [];
  const locks = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json") && basename(dirname(file)) === stack)
    .map((file) => read(join(folder, file)));
  const left = locks.flatMap((lock) => (lock !== undefined && isLeft(lock) ? [lock.pid] : []));
  return left.length === locks.length ? left : [];
}

const isLeft = (lock: Lock): boolean =>
  lock.hostname === hostname() && isGone(lock.pid, Date.parse(lock.timestamp));

function read(file: string): Lock | undefined {
  try {
    const lock = JSON.parse(readFileSync(file, "utf8")) as Partial<Lock>;
    return typeof lock.pid === "number" && typeof lock.hostname === "string" && lock.timestamp !== undefined
      ? (lock as Lock)
      : undefined;
  } catch {
    return undefined;
  }
}
