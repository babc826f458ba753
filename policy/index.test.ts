import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";

const RUN = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run-policy-pack");

let folder: string;
let pack: ChildProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-pack-"));
});
afterEach(async () => {
  pack.kill("SIGKILL");
  if (pack.exitCode === null && pack.signalCode === null) await once(pack, "exit");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the pack as a language host does; resolves to the line that it announces its port with. */
async function start(cache: string): Promise<string> {
  const env = { ...process.env, XDG_CACHE_HOME: cache, PULUMI_CONFIG: "{}" };
  pack = spawn(process.execPath, [RUN, "127.0.0.1:9", import.meta.dirname], {
    cwd: import.meta.dirname,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (pack.stdout === null) throw new Error("the pack has no standard output");
  const [line] = (await once(createInterface(pack.stdout), "line")) as [string];
  return line;
}

it("keeps what it compiled while it waits for resources, since it is killed at the end", async () => {
  expect(await start(folder)).toMatch(/^\d+$/);
  const kept = join(folder, "hermes-policy");
  const files = () => readdirSync(kept, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  await expect.poll(() => existsSync(kept) && files().length > 50, { timeout: 20_000 }).toBe(true);
});

it("starts where nothing can be kept", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(await start(file)).toMatch(/^\d+$/);
});
