import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ROOT } from "./setup/paths.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-pulumi-"));
  mkdirSync(join(folder, "state"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const own = () => ({
  ...process.env,
  PULUMI_BACKEND_URL: pathToFileURL(join(folder, "state")).href,
  PULUMI_CONFIG_PASSPHRASE: "test",
});

it("runs a command of the engine on the backend that is named, and shows what it prints", () => {
  const options = { cwd: ROOT, env: own(), encoding: "utf8" } as const;
  const output = execFileSync(process.execPath, ["scripts/pulumi.ts", "stack", "ls", "--json"], options);
  expect(JSON.parse(output)).toEqual([]);
});

it("ends with the status of the engine", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["scripts/pulumi.ts", "stack", "select", "nowhere", "--non-interactive"],
    { cwd: ROOT, env: own(), encoding: "utf8" },
  );
  expect(stderr).toContain("no stack named 'nowhere' found");
  expect(status).not.toBe(0);
});
