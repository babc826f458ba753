import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "../test/lab/prepare.ts";
import { ensureDebianPackages, LAB_PACKAGES } from "./setup/debian-packages.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";
import { ensurePython } from "./setup/python.ts";

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** The parts of `npm test`, in the order in which they run: the quick ones first. */
const PARTS: ReadonlyArray<readonly [name: string, run: () => Promise<Count>]> = [
  [
    "check",
    async () =>
      one(spawnSync(process.execPath, ["scripts/check.ts"], { cwd: ROOT, stdio: "inherit" }).status),
  ],
  [
    "unit",
    async () => {
      await ensureDebianPackages(LAB_PACKAGES);
      const interpreter = await ensurePython();
      const guest = python(interpreter, "scripts/guest");
      const pve = python(interpreter, "test/lab/pve", "test/lab");
      return sum([vitest("unit"), guest, pve]);
    },
  ],
  [
    // Whether the gates' cases would notice a weaker gate.
    "mutation",
    async () =>
      one(spawnSync(process.execPath, ["test/mutation/run.ts"], { cwd: ROOT, stdio: "inherit" }).status),
  ],
  [
    "engine",
    async () => {
      await prepare();
      return vitest("engine");
    },
  ],
  [
    "lab",
    async () => {
      await prepare();
      return vitest("lab");
    },
  ],
];

await main(async () => {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !PARTS.some(([part]) => part === name));
  if (unknown.length > 0) {
    throw new Error(
      `unknown part ${unknown.join(", ")}; there are ${PARTS.map(([part]) => part).join(", ")}`,
    );
  }
  const counts: Count[] = [];
  const lines: string[] = [];
  for (const [name, run] of PARTS) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n== ${name}`);
    const started = Date.now();
    const count = await run().catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return { passed: 0, failed: 1, skipped: 0 };
    });
    counts.push(count);
    lines.push(`${name.padEnd(8)}${text(count)} in ${Math.round((Date.now() - started) / 1000)} s`);
  }
  const total = sum(counts);
  console.log(`\n${lines.join("\n")}\n${text(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});

/** Runs one vitest project and counts what it says. A run that ends without a report counts as failed. */
function vitest(project: "unit" | "engine" | "lab"): Count {
  const folder = mkdtempSync(join(tmpdir(), "hermes-test-"));
  const report = join(folder, "report.json");
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/vitest.config.ts",
    "--project",
    project,
  ];
  const reporters = ["--reporter", "default", "--reporter", "json", "--outputFile.json", report];
  const { status } = spawnSync(process.execPath, [...args, ...reporters], { cwd: ROOT, stdio: "inherit" });
  try {
    const result = JSON.parse(readFileSync(report, "utf8")) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
    };
    const failed = result.numFailedTests + (status !== 0 && result.numFailedTests === 0 ? 1 : 0);
    return { passed: result.numPassedTests, failed, skipped: result.numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs Python's own tests below a folder and counts what they say. */
function python(interpreter: string, folder: string, top = folder): Count {
  // -B: no compiled files beside the sources.
  const args = ["-B", "-m", "unittest", "discover", "-s", folder, "-t", top];
  const { status, stderr } = spawnSync(interpreter, args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "inherit", "pipe"],
  });
  process.stderr.write(stderr);
  const ran = Number(/^Ran (\d+) tests?/m.exec(stderr)?.[1] ?? 0);
  const number = (word: string) => Number(new RegExp(`\\b${word}=(\\d+)`).exec(stderr)?.[1] ?? 0);
  const skipped = number("skipped");
  const failed = number("failures") + number("errors");
  if (ran === 0 || (status !== 0 && failed === 0)) return { passed: 0, failed: 1, skipped };
  return { passed: ran - failed - skipped, failed, skipped };
}

function one(status: number | null): Count {
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

function sum(counts: readonly Count[]): Count {
  const add = (key: keyof Count) => counts.reduce((total, count) => total + count[key], 0);
  return { passed: add("passed"), failed: add("failed"), skipped: add("skipped") };
}

function text({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
