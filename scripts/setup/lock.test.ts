import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.ts";
import { unwritable } from "./unwritable.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("only one runs at a time, and all of them run", async () => {
  let inside = 0;
  let most = 0;
  const run = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await sleep(20);
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withLock("one", run, { folder })));
  expect(most).toBe(1);
  expect(existsSync(join(folder, "one.lock"))).toBe(false);
});

test("a lock is given back when what it protects fails", async () => {
  await expect(withLock("failing", () => Promise.reject(new Error("no")), { folder })).rejects.toThrow("no");
  expect(await withLock("failing", async () => "again", { folder })).toBe("again");
});

test("the lock of a process that is gone is taken over", async () => {
  // The kernel's largest process number is 4194304.
  writeFileSync(join(folder, "stale.lock"), "4999999 1");
  expect(await withLock("stale", async () => "taken", { folder, waitSeconds: 1 })).toBe("taken");
});

test.runIf(process.platform === "linux")(
  "a process number that was used again is not taken for the owner",
  async () => {
    writeFileSync(join(folder, "reused.lock"), `${process.pid} 1`);
    expect(await withLock("reused", async () => "taken", { folder, waitSeconds: 1 })).toBe("taken");
  },
);

test("waiting has an end, which names the owner and the file", async () => {
  await withLock(
    "held",
    async () => {
      const file = join(folder, "held.lock");
      await expect(withLock("held", async () => {}, { folder, waitSeconds: 0 })).rejects.toThrow(
        `Process ${process.pid} has held ${file}`,
      );
      expect(readFileSync(file, "utf8")).toMatch(new RegExp(`^${process.pid} `));
    },
    { folder },
  );
});

test.each([
  ["EACCES", "belongs to .*: run this as .*, or make it yours: sudo chown -R"],
  ["EROFS", "its file system is read-only"],
  ["ENOSPC", "the disk is full"],
])("%s names the nearest folder that exists, and the way out", (code, message) => {
  const error = unwritable(Object.assign(new Error(code), { code }), join(folder, "a", "b"));
  expect(String(error)).toMatch(new RegExp(`Cannot write to ${folder}\\b.*${message}`));
});

test.runIf(process.platform === "linux")("a lock in a folder that takes no files says so", async () => {
  // Nobody, not even root, makes a folder in /sys.
  await expect(withLock("any", async () => {}, { folder: "/sys/hermes" })).rejects.toThrow(
    /^Cannot write to \/sys[,:]/,
  );
});
