import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { staleLocks } from "./stale-lock.ts";

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** The kernel's largest process number is 4194304. */
const GONE = 4_999_999;

function lock(name: string, content: object, stack = "one"): void {
  const file = join(state, ".pulumi/locks/organization/project", stack, `${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ username: "u", hostname: hostname(), timestamp: new Date(), ...content }),
  );
}
const found = (): number[] => staleLocks(state, "one");

test("a stack without locks has none that was left", () => {
  expect(found()).toEqual([]);
});

test("the lock of a process that is gone was left", () => {
  lock("a", { pid: GONE });
  expect(found()).toEqual([GONE]);
});

test("the lock of a process that runs was not", () => {
  lock("a", { pid: process.pid });
  expect(found()).toEqual([]);
});

test("a process that started long after the lock was made is another one with the same number", () => {
  lock("a", { pid: process.pid, timestamp: "2020-01-01T00:00:00.123456789+02:00" });
  expect(found()).toEqual([process.pid]);
});

test("whether a process of another machine runs is not known here", () => {
  lock("a", { pid: GONE, hostname: "elsewhere" });
  expect(found()).toEqual([]);
});

test("beside a lock that is in use, none counts as left: they are cancelled together", () => {
  lock("a", { pid: GONE });
  lock("b", { pid: process.pid });
  expect(found()).toEqual([]);
});

test("a lock that cannot be read is not taken for one that was left", () => {
  lock("a", { pid: "?" });
  expect(found()).toEqual([]);
});

test("locks of other stacks do not count", () => {
  lock("a", { pid: GONE }, "two");
  expect(found()).toEqual([]);
});
