import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LOGS } from "./paths.ts";
import { startTime } from "./processes.ts";
import { duration, StepError, step, stepFunction } from "./progress.ts";

vi.setConfig({ testTimeout: 30_000 });

const LOG = `test-progress-${process.pid}`;
const common = { title: "Something", log: LOG, estimateSeconds: 5 };
let said = "";
let folder: string;

beforeEach(() => {
  said = "";
  folder = mkdtempSync(join(tmpdir(), "progress-"));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(LOGS, `${LOG}.log`), { force: true });
});

/** Also when nobody has waited for it yet: whoever takes over a process whose parent has ended may be slow at that. */
const isGone = (pid: number): boolean => startTime(pid) === undefined;

test("a step says what it does, how long it may take, and how long it took", async () => {
  await step({ ...common, command: ["sh", "-c", "echo out; echo err >&2"] });
  expect(said).toMatch(/^Something \(about 5 seconds\)\nSomething: done in \d+ s\n$/);
  expect(readFileSync(join(LOGS, `${LOG}.log`), "utf8")).toBe("$ sh -c echo out; echo err >&2\nout\nerr\n");
});

test("a failed step shows the last 15 lines of its output and where all of it is", async () => {
  const failure = await step({ ...common, command: ["sh", "-c", "seq 1 20; exit 3"] }).catch(
    (error: Error) => error,
  );
  expect(failure).toBeInstanceOf(StepError);
  const { message } = failure as StepError;
  expect(message).toContain("Something: sh exited with 3.");
  expect(message).toContain("    6\n");
  expect(message).not.toContain("    5\n");
  expect(message).toContain(`The whole log: ${join(LOGS, `${LOG}.log`)}`);
  expect(said).toMatch(/Something: failed after/);
});

test("a program that does not exist is named", async () => {
  await expect(step({ ...common, command: ["no-such-program"] })).rejects.toThrow(
    /no-such-program could not be started/,
  );
});

test("a command that somebody ended was interrupted; one that failed, crashed or took too long was not", async () => {
  const interrupted = (script: string): Promise<unknown> =>
    step({ ...common, command: ["sh", "-c", script], timeoutSeconds: 1 }).then(
      () => undefined,
      (error: StepError) => error.interrupted,
    );
  expect(await interrupted("kill -INT $$")).toBe(true);
  expect(await interrupted("exit 1")).toBe(false);
  expect(await interrupted("kill -SEGV $$")).toBe(false);
  expect(await interrupted("sleep 600")).toBe(false);
});

test("a step that takes too long is ended together with what it started", async () => {
  const pidFile = join(folder, "pid");
  const command = ["sh", "-c", `sleep 600 & echo $! > ${pidFile}; wait`] as [string, ...string[]];
  await expect(step({ ...common, command, timeoutSeconds: 1 })).rejects.toThrow(/took longer than 1 second/);
  await expect.poll(() => isGone(Number(readFileSync(pidFile, "utf8"))), { timeout: 10_000 }).toBe(true);
});

test("an aborted step is ended", async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  await expect(step({ ...common, command: ["sleep", "600"], signal: abort.signal })).rejects.toMatchObject({
    message: expect.stringContaining("was stopped"),
    interrupted: true,
  });
});

test("a signal to this process ends the step's processes, and then this process by that signal", async () => {
  const pidFile = join(folder, "pid");
  const script = `import { step } from ${JSON.stringify(join(import.meta.dirname, "progress.ts"))};
    await step({ title: "t", log: ${JSON.stringify(LOG)}, estimateSeconds: 1, command: ["sh", "-c", "echo $$ > ${pidFile}; sleep 600"] }).catch(() => {});`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: "ignore",
  });
  await expect
    .poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"), { timeout: 10_000 })
    .toBe(true);
  child.kill("SIGTERM");
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(signal).toBe("SIGTERM");
  // The signal has been sent to both; which of them ends first is the kernel's.
  await expect.poll(() => isGone(Number(readFileSync(pidFile, "utf8"))), { timeout: 5000 }).toBe(true);
});

test("a function can be a step, and its result is returned", async () => {
  expect(await stepFunction("Thinking", 120, async () => 42)).toBe(42);
  expect(said).toMatch(/^Thinking \(about 2 minutes\)\nThinking: done in 0 s\n$/);
  await expect(stepFunction("Thinking", 1, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(said).toMatch(/Thinking: failed after 0 s\n$/);
});

test("estimates are as exact as an estimate is", () => {
  expect([1, 40, 89, 90, 300].map(duration)).toEqual([
    "1 second",
    "40 seconds",
    "89 seconds",
    "2 minutes",
    "5 minutes",
  ]);
});
