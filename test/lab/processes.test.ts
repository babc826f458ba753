import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { abandon, hasArgument, qemuOf, running, startDetached, stop } from "./processes.ts";

let folder: string;
let pidFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "processes-"));
  pidFile = join(folder, "it.pid");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a detached process is found by its file, and ended by it", async () => {
  startDetached({ command: ["sleep", "60"], cwd: folder, log: join(folder, "log"), pidFile });
  const pid = running(pidFile);
  expect(readFileSync(pidFile, "utf8")).toMatch(new RegExp(`^${pid} \\d+\n$`));
  expect(await stop(pidFile)).toBe(true);
  expect(running(pidFile)).toBe(undefined);
  expect(existsSync(pidFile)).toBe(false);
});

test.each([
  ["with another start time", `${process.pid} 1\n`],
  ["without a start time", `${process.pid}\n`],
  ["half-written", `${process.pid} `],
  ["empty", ""],
])("a file %s names nobody: its number may be a stranger's by now", async (_name, content) => {
  writeFileSync(pidFile, content);
  expect(running(pidFile)).toBe(undefined);
  expect(await stop(pidFile)).toBe(false);
});

test("ending a process that did not start well leaves another one its file", async () => {
  const options = { command: ["sleep", "60"] as const, cwd: folder, log: join(folder, "log"), pidFile };
  const failed = startDetached(options);
  startDetached(options);
  const other = running(pidFile);
  const exited = once(failed, "exit");
  await abandon(failed, pidFile);
  await exited;
  expect(other).not.toBe(failed.pid);
  expect(running(pidFile)).toBe(other);
  expect(await stop(pidFile)).toBe(true);
});

/** A process with the arguments of a virtual machine. */
function machine(file: string): ChildProcess {
  return spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)", "--", "-pidfile", file], {
    stdio: "ignore",
  });
}

test("a virtual machine is told by its whole -pidfile argument, not by the beginning of its path", async () => {
  const other = machine(`${pidFile}-of-another-lab`);
  const ours = machine(pidFile);
  try {
    await expect.poll(() => hasArgument(ours.pid ?? 0, pidFile)).toBe(true);
    writeFileSync(pidFile, `${ours.pid}\n`);
    expect(qemuOf(pidFile)).toBe(ours.pid);
    writeFileSync(pidFile, `${other.pid}\n`);
    expect(qemuOf(pidFile)).toBe(undefined);
  } finally {
    for (const child of [other, ours]) child.kill("SIGKILL");
    await Promise.all([other, ours].map((child) => once(child, "exit")));
  }
  writeFileSync(pidFile, `${ours.pid}\n`);
  expect(qemuOf(pidFile)).toBe(undefined);
});
