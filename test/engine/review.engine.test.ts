import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { gates } from "../../policy/gates.ts";
import { packGates } from "../../scripts/review/gates.ts";
import type { Report } from "../../scripts/review/report.ts";
import { review } from "../../scripts/review/review.ts";
import { watchSignals } from "../../scripts/review/signals.ts";
import { SECRETS } from "../../scripts/review/stack-file.ts";
import { ensureEngine } from "../../scripts/setup/engine.ts";
import { PULUMI_HOME, ROOT } from "../../scripts/setup/paths.ts";

interface Result {
  status: number;
  output: string;
}

let folder: string;
let before: Map<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-review-test-"));
  before = stackFiles();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where a review makes its own folders: one a test, so that what is left behind shows. */
function temporary(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

/** No secret, no backend, no provider's variable: what a pull request of a stranger gets. */
const environment = (temp: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: temp,
  TMPDIR: temp,
  ...more,
});

/** A command in a network namespace that has its own loopback and nothing else. Only root may make one by itself. */
function unreachable(command: readonly string[]): string[] {
  const namespace = process.getuid?.() === 0 ? ["--net"] : ["--map-root-user", "--net"];
  return ["unshare", ...namespace, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...command];
}

function run(
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = ROOT,
): Promise<Result> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, output: `${stdout}${stderr}` });
    });
  });
}

const policy = (...args: string[]): string[] => [process.execPath, "scripts/policy.ts", ...args];

const stackFiles = (): Map<string, string> =>
  new Map(
    readdirSync(ROOT)
      .filter((file) => file.startsWith("Pulumi."))
      .map((file) => [file, readFileSync(join(ROOT, file), "utf8")]),
  );

describe("a review with every host, cluster and tailnet unreachable, and without any secret", () => {
  it("has no way out of its network", async () => {
    const { status, output } = await run(
      unreachable(["ip", "route", "get", "192.0.2.1"]),
      environment(folder),
    );
    expect(output).toMatch(/unreachable/i);
    expect(status).not.toBe(0);
  });

  it("lets chopper through and refuses pve-sbx by its placement gate alone, both at once", {
    timeout: 300_000,
  }, async () => {
    const names = ["chopper", "pve-sbx"].map((stack) => [stack, temporary(stack)] as const);
    const [chopper, sandbox] = await Promise.all(
      names.map(([stack, temp]) =>
        run(unreachable(policy(stack, "--summary", `${folder}/${stack}.md`)), environment(temp)),
      ),
    );
    expect(chopper?.output).toContain("Gates of the policy pack for chopper: passed");
    expect(chopper?.output).toContain("vm-hermes will be built, started, and waited for");
    expect(chopper?.status).toBe(0);

    expect(sandbox?.output).toContain("Gates of the policy pack for pve-sbx: refused by placement-gate\n");
    expect(sandbox?.output).toMatch(/placement-gate +mandatory +refused: 1\n/);
    expect(sandbox?.output).not.toMatch(/not judged|refused: [^1]/);
    expect(sandbox?.output).toContain("phase 1 is blocked");
    for (const key of ["hermes:admin.authorizedKeys[0]", "hermes:ssh.privateKey", "proxmoxve:apiToken"]) {
      expect(sandbox?.output).toContain(`${key} is left to the owner in the stack file: a placeholder`);
    }
    expect(sandbox?.status).toBe(1);

    const markdown = readFileSync(join(folder, "pve-sbx.md"), "utf8");
    expect(markdown).toMatch(/^### Stack pve-sbx: refused by placement-gate\n/);
    expect(markdown).toContain("+  create  proxmoxve:index/vmLegacy:VmLegacy guest-vm");
    expect(markdown).toContain("> **placement-gate**, guest: ");
    // The engine's own folder of its user, where there is one, is not a review's.
    for (const [, temp] of names)
      expect(readdirSync(temp).filter((name) => name.startsWith("hermes-"))).toEqual([]);
    expect(stackFiles()).toEqual(before);
  });
});

describe("a review of a stack file", () => {
  it("that is bad says so, and no gate passes by that", async () => {
    const report = await reviewOf("bad", (text) => text.replace("vcpus: 4", "vcpus: 0"));
    expect(report?.events.diagnostics.map(({ message }) => message).join()).toContain(
      "hermes:guest.vcpus = 0",
    );
    expect(new Set(report?.verdicts.map(({ text }) => text))).toEqual(new Set(["not judged"]));
    expect(report?.status).not.toBe(0);
  });

  it("with an encrypted image names the key, and previews nothing", async () => {
    const hidden = reviewOf("hidden", (text) =>
      text.replace(/image: .*/, "image:\n      secure: v1:AAAA:BBBB"),
    );
    await expect(hidden).rejects.toThrow("hermes:container.image is encrypted, so no review can judge");
  });

  it("with secrets of another passphrase needs no passphrase", async () => {
    const secret = "  proxmoxve:apiToken:\n    secure: v1:AAAA:BBBB\n";
    const report = await reviewOf(
      "secret",
      (text) => `${text}${secret}encryptionsalt: v1:AAAA:v1:BBBB:CCCC\n`,
    );
    expect(report?.placeholders?.map(({ path, found }) => [path, found])).toEqual([
      ["proxmoxve:apiToken", "encrypted"],
      ["hermes:ssh.privateKey", "not set"],
      ["hermes:ssh.hostKey", "not set"],
    ]);
    // Advice is there, and none of it is a refusal or a gate that did not run.
    for (const { text } of report?.verdicts ?? []) expect(text).toMatch(/^(passed|advised: \d+)$/);
    expect(report?.verdicts).toHaveLength(gates.length);
    expect(report?.status).toBe(0);
  });

  /** A changed stack file of chopper. */
  async function reviewOf(name: string, change: (text: string) => string): Promise<Report | undefined> {
    vi.stubEnv("PULUMI_BACKEND_URL", undefined);
    const files = temporary(name);
    const text = change(readFileSync(join(ROOT, "Pulumi.chopper.yaml"), "utf8"));
    writeFileSync(join(files, "Pulumi.chopper.yaml"), text);
    const signals = watchSignals();
    try {
      return await review("chopper", {
        engine: await ensureEngine(),
        gates: await packGates(),
        signals,
        files,
      });
    } finally {
      signals.stop();
      vi.unstubAllEnvs();
    }
  }
});

describe("a review on the stack's own state", () => {
  it("shows the real difference, and leaves state and stack file as they are", async () => {
    const temp = temporary("own");
    mkdirSync(join(temp, "state"));
    const own = {
      PULUMI_HOME,
      PULUMI_BACKEND_URL: pathToFileURL(join(temp, "state")).href,
      PULUMI_CONFIG_PASSPHRASE: "own",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    const env = environment(temp, own);
    cpSync(join(ROOT, "Pulumi.yaml"), join(temp, "Pulumi.yaml"));
    const file = join(temp, "Pulumi.chopper.yaml");
    cpSync(join(ROOT, "Pulumi.chopper.yaml"), file);
    const engine = await ensureEngine();
    const pulumi = async (...args: string[]) => {
      const { status, output } = await run([engine.pulumi, ...args, "--non-interactive"], env, temp);
      expect(status, output).toBe(0);
    };
    await pulumi("stack", "init", "chopper", "--no-select");
    await pulumi(
      ...["config", "set-all", "--path", "--stack", "chopper", "--config-file", file],
      ...["--plaintext", `hermes:ssh.hostKey=ssh-ed25519 ${"H".repeat(68)}`],
      ...["--secret", `hermes:ssh.privateKey=${SECRETS["hermes:ssh.privateKey"]}`],
    );
    const stackFile = readFileSync(file, "utf8");

    const signals = watchSignals();
    for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
    try {
      const report = await review("chopper", { engine, gates: await packGates(), signals, files: temp });
      expect(report?.placeholders).toBeUndefined();
      expect(report?.status).toBe(0);
    } finally {
      vi.unstubAllEnvs();
      signals.stop();
    }
    expect(readFileSync(file, "utf8")).toBe(stackFile);
    expect(stackFiles()).toEqual(before);
  });
});

describe("the command itself", () => {
  it("ends with 2 for a stack or an option that it does not know", async () => {
    for (const word of ["nothing", "--nothing"]) {
      const { status, output } = await run(policy(word), environment(folder));
      expect(output).toContain("Usage: npm run policy");
      expect(status).toBe(2);
    }
  });

  it.each(["SIGINT", "SIGTERM"] as const)("leaves nothing behind after %s", async (signal) => {
    const temp = temporary(signal);
    const child = spawn(process.execPath, ["scripts/policy.ts", "pve-sbx"], {
      cwd: ROOT,
      env: environment(temp),
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own: a terminal sends Ctrl-C to all of it.
      detached: true,
    });
    const ended = once(child, "exit");
    try {
      let output = "";
      child.stdout.on("data", (data: Buffer) => {
        output += data.toString();
      });
      while (!output.includes("Previewing") && child.exitCode === null) await sleep(20);
      process.kill(signal === "SIGINT" ? -(child.pid ?? 0) : (child.pid ?? 0), signal);
      const [status] = await ended;
      expect(status).toBe(signal === "SIGINT" ? 130 : 143);
    } finally {
      if (child.exitCode === null) child.kill("SIGKILL");
    }
    expect(readdirSync(temp).filter((name) => name.startsWith("hermes-"))).toEqual([]);
  });
});
