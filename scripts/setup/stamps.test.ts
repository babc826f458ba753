import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  fingerprint,
  forgetRefusal,
  recentRefusal,
  rememberRefusal,
  stampMatches,
  writeAtomically,
} from "./stamps.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stamps-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a fingerprint changes with a file's content and with the order of the parts", () => {
  const file = join(folder, "a");
  writeFileSync(file, "1");
  const before = fingerprint({ file }, "x");
  expect(fingerprint({ file }, "x")).toBe(before);
  expect(fingerprint("x", { file })).not.toBe(before);
  writeFileSync(file, "2");
  expect(fingerprint({ file }, "x")).not.toBe(before);
});

test("a stamp matches its own value only", () => {
  const file = join(folder, "deep/stamp");
  expect(stampMatches(file, "a")).toBe(false);
  writeAtomically(file, "a");
  expect(stampMatches(file, "a")).toBe(true);
  expect(stampMatches(file, "b")).toBe(false);
});

test("an atomic write leaves the file with its mode and nothing beside it", () => {
  writeAtomically(join(folder, "tool"), "#!/bin/sh\n", 0o755);
  expect(readdirSync(folder)).toEqual(["tool"]);
  expect(readFileSync(join(folder, "tool"), "utf8")).toBe("#!/bin/sh\n");
  expect(statSync(join(folder, "tool")).mode & 0o111).not.toBe(0);
});

test("a refusal is remembered for a day", () => {
  const name = `test-${process.pid}`;
  try {
    expect(recentRefusal(name)).toBe(undefined);
    rememberRefusal(name, "no network");
    expect(recentRefusal(name)?.reason).toBe("no network");
    expect(recentRefusal(name, Date.now() + 25 * 60 * 60 * 1_000)).toBe(undefined);
  } finally {
    forgetRefusal(name);
  }
});
