/** The first way: a `pulumi` that the machine already has, with the language host it came with. */
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, findOnPath, isExecutable } from "../commands.ts";
import { CACHE } from "../paths.ts";
import { atLeast, formatVersion, parseVersion, type Version } from "../versions.ts";
import type { Attempt } from "./types.ts";

export const OLDEST: Version = [3, 230, 0];
const NEXT_MAJOR = 4;

export async function findEngine(path = process.env["PATH"] ?? ""): Promise<Attempt> {
  // Ours would be found again when a command of this project calls another.
  const candidates = findOnPath("pulumi", { path, excluded: CACHE });
  if (candidates.length === 0) return { reason: "no `pulumi` on PATH" };
  const reasons: string[] = [];
  for (const pulumi of candidates) {
    const judged = await judgeEngine(pulumi, "path", path);
    if ("engine" in judged) return judged;
    reasons.push(judged.reason);
  }
  return { reason: reasons.join("; ") };
}

/** Does this executable answer with a suitable version, and does a language host start beside it or on PATH? */
export async function judgeEngine(
  pulumi: string,
  source: "path" | "download",
  path: string,
): Promise<Attempt> {
  const version = engineVersion(pulumi);
  if (version === undefined) return { reason: `${pulumi} does not answer to \`pulumi version\`` };
  if (!isSuitable(version)) {
    return {
      reason: `${pulumi} is ${formatVersion(version)}, and at least ${formatVersion(OLDEST)} and less than ${NEXT_MAJOR} is needed`,
    };
  }
  const beside = join(dirname(realpathSync(pulumi)), "pulumi-language-nodejs");
  const host = isExecutable(beside)
    ? beside
    : findOnPath("pulumi-language-nodejs", { path, excluded: CACHE })[0];
  if (host === undefined) return { reason: `${pulumi} comes without \`pulumi-language-nodejs\`` };
  if (!(await answersWithPort(host))) return { reason: `${host} does not start` };
  return {
    engine: {
      pulumi,
      version: formatVersion(version),
      source,
      binFolders: [...new Set([dirname(pulumi), dirname(host)])],
    },
  };
}

export const isSuitable = (version: Version): boolean => atLeast(version, OLDEST) && version[0] < NEXT_MAJOR;

export function engineVersion(pulumi: string): Version | undefined {
  const printed = ask(pulumi, ["version"], { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
  return printed === undefined ? undefined : parseVersion(printed);
}

/** A language host prints the port that it listens on as its first line. */
export function answersWithPort(host: string, timeoutMilliseconds = 10_000): Promise<boolean> {
  return new Promise((resolve) => {
    // The address is of an engine that does not exist: the host only dials it when it is asked to work.
    const child = spawn(host, ["127.0.0.1:1"], { stdio: ["pipe", "pipe", "ignore"] });
    let printed = "";
    const decide = (answer: boolean): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      resolve(answer);
    };
    const timer = setTimeout(() => decide(false), timeoutMilliseconds);
    child.once("error", () => decide(false));
    child.once("close", () => decide(/^\d+\s*$/m.test(printed)));
    child.stdout.on("data", (data: Buffer) => {
      printed += data.toString();
      if (printed.includes("\n")) decide(/^\d+\s*$/.test(printed.split("\n")[0] ?? ""));
    });
  });
}
