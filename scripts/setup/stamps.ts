/** Small marks on disk: what a folder was made from, and what was refused lately. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { STATE } from "./paths.ts";
import { quote } from "./quote.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** SHA-256 of files and texts, in the given order. */
export function fingerprint(...parts: ({ file: string } | string)[]): string {
  const hash = createHash("sha256");
  for (const part of parts)
    hash.update(typeof part === "string" ? part : readFileSync(part.file)).update("\0");
  return hash.digest("hex");
}

export const stampMatches = (file: string, value: string): boolean =>
  existsSync(file) && readFileSync(file, "utf8") === value;

/** Never half-written: a reader sees the old content or the new one. */
export function writeAtomically(file: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.partial`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

export interface Refusal {
  reason: string;
  /** ISO date and time. */
  at: string;
}

/** A later attempt is made when this file is a day old, or gone. */
export const refusalFile = (name: string): string => join(STATE, `refused-${name}.json`);

/** Remembers that something cannot be had from here, so that not every run waits for the same failure. */
export const rememberRefusal = (name: string, reason: string): void =>
  writeAtomically(
    refusalFile(name),
    `${JSON.stringify({ reason, at: new Date().toISOString() } satisfies Refusal)}\n`,
  );

/** A refusal of the last 24 hours. An older one is forgotten: the network may have changed. */
export function recentRefusal(name: string, now = Date.now()): Refusal | undefined {
  try {
    const refusal = JSON.parse(readFileSync(refusalFile(name), "utf8")) as Refusal;
    return now - Date.parse(refusal.at) < DAY_MILLISECONDS ? refusal : undefined;
  } catch {
    return undefined;
  }
}

/** When it was, and how to have it tried again now. */
export const refusalNote = (name: string, { at }: Refusal): string =>
  `tried ${at}, and tried again a day later, or now after: rm ${quote(refusalFile(name))}`;

export const forgetRefusal = (name: string): void => rmSync(refusalFile(name), { force: true });
