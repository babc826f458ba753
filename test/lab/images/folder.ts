/** What is built here is kept below `.cache/images`, together with a stamp of what it was built from. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { IMAGES } from "../../../scripts/setup/paths.ts";
import { fingerprint, stampMatches, writeAtomically } from "../../../scripts/setup/stamps.ts";

/** Where the sources of the images are. */
export const here = import.meta.dirname;

/** A path below the cache of images; its folder exists after the call. */
export function cached(...names: string[]): string {
  const path = join(IMAGES, ...names);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** One stamp over everything that decides what a build yields: files of this folder, and earlier stamps. */
export function recipe(sources: readonly string[], values: readonly string[] = []): string {
  return fingerprint(...sources.flatMap((name) => [name, { file: join(here, name) }]), ...values);
}

/** The stamp of something that is built. */
export const stampOf = (target: string): string => readFileSync(stampFile(target), "utf8");

/** Whether something was built, from whatever recipe. */
export const isComplete = (target: string): boolean => existsSync(target) && existsSync(stampFile(target));

/**
 * Builds `target` once for a stamp. The build writes to the path it is given, which becomes `target` only when
 * it has succeeded, so that an interrupted run leaves nothing that a later one would take for finished.
 * Returns whether anything was built.
 */
export async function builtOnce(
  target: string,
  stamp: string,
  build: (unfinished: string) => Promise<void>,
): Promise<boolean> {
  if (existsSync(target) && stampMatches(stampFile(target), stamp)) {
    return false;
  }
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await build(unfinished);
  rmSync(stampFile(target), { force: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(unfinished, target);
  writeAtomically(stampFile(target), stamp);
  return true;
}

const stampFile = (target: string): string => `${target}.recipe`;
