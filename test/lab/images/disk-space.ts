import { statfsSync } from "node:fs";

const GIB = 1024 ** 3;

/** Refuses to start what the disk has no room for. `need` counts bytes that are not there yet. */
export function requireSpace(folder: string, need: number, free: number = freeBytes(folder)): void {
  if (free < need) {
    throw new Error(
      `The disk of ${folder} has ${gib(free)} GiB free; building the lab's images needs ${gib(need)} GiB. ` +
        "Free some space there, or clone the project on a larger disk, and run this again.",
    );
  }
}

/** What this user may still write, without the blocks reserved for root. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const gib = (bytes: number): string => (bytes / GIB).toFixed(1);
