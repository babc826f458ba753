import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NODE_BIN, ROOT } from "./paths.ts";

/** A checkout without packages. */
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "bootstrap-"));
  chmodSync(checkout, 0o755);
  mkdirSync(join(checkout, "scripts"));
  mkdirSync(join(checkout, ".cache"));
  cpSync(join(ROOT, "scripts/bootstrap.sh"), join(checkout, "scripts/bootstrap.sh"));
  for (const file of ["scripts/start.ts", "package-lock.json"]) writeFileSync(join(checkout, file), "");
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

/** @param npm what stands for npm. */
function bootstrap(npm: string, identity: { uid?: number; gid?: number } = {}) {
  writeFileSync(join(checkout, "npm-cli.js"), npm);
  const { status, stderr } = spawnSync("sh", [join(checkout, "scripts/bootstrap.sh"), "start"], {
    env: { PATH: `${NODE_BIN}${delimiter}/usr/bin:/bin`, npm_execpath: join(checkout, "npm-cli.js") },
    encoding: "utf8",
    timeout: 10_000,
    ...identity,
  });
  return { status, said: stderr };
}

test("a .cache that cannot be written is named at once, not waited for", () => {
  chmodSync(join(checkout, ".cache"), 0o555);
  // Root may write anything.
  const { status, said } = bootstrap("", process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {});
  expect(said).toBe(
    `Cannot write to ${join(checkout, ".cache")}: check who owns it (ls -ld) and the free space (df -h).\n`,
  );
  expect(status).toBe(1);
});

test("an npm that could not even write its log points to the disk", () => {
  expect(bootstrap("process.exit(1)").said).toContain("most likely the disk is full");
});

test("an npm that says why it failed does not", () => {
  const { said } = bootstrap("console.error('npm error code EINTEGRITY'); process.exit(1)");
  expect(said).toContain("has another content");
  expect(said).not.toContain("the disk is full");
});
