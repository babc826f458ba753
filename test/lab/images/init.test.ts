import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { here } from "./folder.ts";

const folder = mkdtempSync(join(tmpdir(), "init-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The init with its user and its programs replaced, so that it runs here without root. */
const harness = join(folder, "harness.py");
writeFileSync(
  harness,
  `import importlib.util, os, pwd, subprocess, sys
spec = importlib.util.spec_from_file_location("init", ${JSON.stringify(join(here, "hermes/init.py"))})
init = importlib.util.module_from_spec(spec)
spec.loader.exec_module(init)
me = pwd.getpwuid(os.getuid())
init.remap = lambda _: me
init.pwd.getpwnam = lambda _: me
init.own_data = lambda _: None
popen = subprocess.Popen
init.subprocess.Popen = lambda arguments, env, **_: popen(arguments, env=env)
init.HERMES = ${JSON.stringify(join(folder, "hermes"))}
sys.exit(init.main())
`,
);
writeFileSync(
  join(folder, "hermes"),
  `#!/bin/sh
echo "$*" >> ${folder}/calls
case $1 in
  dashboard) exit 1 ;;
  gateway) trap 'echo stopped >> ${folder}/calls; exit 7' TERM; while :; do sleep 0.1; done ;;
esac
`,
  { mode: 0o755 },
);

function run(args: string[], env: Record<string, string> = {}) {
  writeFileSync(join(folder, "calls"), "");
  const child = spawn("python3", [harness, ...args], { env: { ...process.env, ...env }, stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended };
}

const calls = () => readFileSync(join(folder, "calls"), "utf8");

describe("the image's init", { timeout: 30_000 }, () => {
  it("ends with the status of a program that was asked for by name", async () => {
    expect(await run(["sh", "-c", "exit 42"]).ended).toBe(42);
    expect(await run(["sh", "-c", "kill -9 $$"]).ended).toBe(137);
  });

  it("gives other commands to hermes", async () => {
    expect(await run(["--version"]).ended).toBe(0);
    expect(calls()).toBe("--version\n");
  });

  it("starts a dashboard that ended again, passes SIGTERM on and ends with the gateway's status", async () => {
    const { child, ended } = run(["gateway", "run"], {
      HERMES_DASHBOARD: "1",
      HERMES_DASHBOARD_PORT: "9120",
    });
    await expect.poll(() => calls().match(/^dashboard/gm)?.length, { timeout: 20_000 }).toBe(2);
    child.kill("SIGTERM");
    expect(await ended).toBe(7);
    expect(calls()).toContain("dashboard --no-open --skip-build --host 127.0.0.1 --port 9120\n");
    expect(calls()).toContain("stopped");
  });

  it("starts no dashboard unless it is told to", async () => {
    const { child, ended } = run(["gateway", "run"], { HERMES_DASHBOARD: "" });
    await expect.poll(calls, { timeout: 20_000 }).toContain("gateway run");
    child.kill("SIGTERM");
    expect(await ended).toBe(7);
    expect(calls()).not.toContain("dashboard");
  });
});
