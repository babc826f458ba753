import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "../test/lab/prepare.ts";
import { SUMMARY_FILE, type Summary } from "../test/support/summary-reporter.ts";
import { ensureDebianPackages, LAB_PACKAGES } from "./setup/debian-packages.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";
import { ensurePython } from "./setup/python.ts";

interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, where that can be said in a line. */
  readonly failures?: readonly string[];
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
      return { passed: 0, failed: 1, skipped: 0, failures: [String(error)] };
    });
    counts.push(count);
    lines.push(`${name.padEnd(8)} ${text(count)} in ${Math.round((Date.now() - started) / 1000)} s`);
    // Said again at the end: what was printed above may be thousands of lines away, or cut off.
    lines.push(...(count.failures ?? []).map((failure) => `  failed: ${failure}`));
  }
  const total = sum(counts);
  console.log(`\n${lines.join("\n")}\n${text(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});

/** Runs one vitest project and counts what it says. A run that ends without a summary counts as failed. */
function vitest(project: "unit" | "engine" | "lab"): Count {
  const folder = mkdtempSync(join(tmpdir(), "hermes-test-"));
  const file = join(folder, "summary.json");
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/vitest.config.ts",
    "--project",
    project,
  ];
  const reporters = ["--reporter", "default", "--reporter", "./test/support/summary-reporter.ts"];
  const { status } = spawnSync(process.execPath, [...args, ...reporters], {
    cwd: ROOT,
    env: { ...process.env, [SUMMARY_FILE]: file },
    stdio: "inherit",
  });
  try {
    const { passed, skipped, failures } = JSON.parse(readFileSync(file, "utf8")) as Summary;
    const told = status !== 0 && failures.length === 0 ? [`vitest ended with ${status}`] : failures;
    return { passed, failed: told.length, skipped, failures: told };
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`vitest ended with ${status} and no summary`] };
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
  if (ran === 0 || (status !== 0 && failed === 0)) {
    return { passed: 0, failed: 1, skipped, failures: [`${folder}: Python ended with ${status}`] };
  }
  const failures = [...stderr.matchAll(/^(?:FAIL|ERROR): .*/gm)].map(([line]) => `${folder} › ${line}`);
  return { passed: ran - failed - skipped, failed, skipped, failures };
}

function one(status: number | null): Count {
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

function sum(counts: readonly Count[]): Count {
  const add = (key: "passed" | "failed" | "skipped") =>
    counts.reduce((total, count) => total + count[key], 0);
  const failures = counts.flatMap((count) => count.failures ?? []);
  return { passed: add("passed"), failed: add("failed"), skipped: add("skipped"), failures };
}

function text({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
