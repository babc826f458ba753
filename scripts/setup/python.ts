/** The lab's Python: a venv with exactly the packages, by hash, of test/lab/pve/requirements.txt. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ask, isExecutable } from "./commands.ts";
import { withLock } from "./lock.ts";
import { PYTHON_VENV, ROOT } from "./paths.ts";
import { step } from "./progress.ts";
import { fingerprint, stampMatches, writeAtomically } from "./stamps.ts";
import { atLeast, formatVersion, parseVersion, type Version } from "./versions.ts";

const REQUIREMENTS = join(ROOT, "test/lab/pve/requirements.txt");
const MINIMUM: Version = [3, 11, 0];

/** Path of the venv's interpreter; the venv is made or renewed first when needed. */
export async function ensurePython(): Promise<string> {
  const interpreter = join(PYTHON_VENV, "bin/python");
  // A venv can't be moved, so it is built in place; the stamp inside it comes last and says that it is complete.
  const stamp = join(PYTHON_VENV, "complete");
  await withLock("python", async () => {
    const system = findPython();
    const wanted = fingerprint(system, ask(system, ["--version"]) ?? "", { file: REQUIREMENTS });
    if (isExecutable(interpreter) && stampMatches(stamp, wanted)) return;
    rmSync(PYTHON_VENV, { recursive: true, force: true });
    await step({
      title: "Python environment: creating",
      log: "python-venv",
      estimateSeconds: 10,
      command: [system, "-m", "venv", PYTHON_VENV],
      timeoutSeconds: 300,
    });
    await step({
      title: "Python packages of the lab: installing",
      log: "python-packages",
      estimateSeconds: 30,
      command: [
        interpreter,
        ...["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--require-hashes"],
        ...["-r", REQUIREMENTS],
      ],
      timeoutSeconds: 900,
    });
    writeAtomically(stamp, wanted);
  });
  return interpreter;
}

/** The system's own Python first: one from a version manager may go away with the next `pyenv global`. */
export function findPython(): string {
  const tried: string[] = [];
  for (const candidate of ["/usr/bin/python3", "python3"]) {
    if (candidate.startsWith("/") && !existsSync(candidate)) continue;
    const version = parseVersion(ask(candidate, ["--version"]) ?? "");
    if (version === undefined) continue;
    if (atLeast(version, MINIMUM)) return candidate;
    tried.push(`${candidate} is ${formatVersion(version)}`);
  }
  throw new Error(
    `This needs Python ${MINIMUM[0]}.${MINIMUM[1]} or newer (${tried.join(", ") || "no python3 was found"}): install Debian 12, Ubuntu 24.04 or newer, or put such a python3 first on PATH.`,
  );
}
