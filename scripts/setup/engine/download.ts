/** The second way: the vendor's npm package `pulumi`, which downloads the CLI with its language hosts. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findOnPath } from "../commands.ts";
import { NODE, NODE_BIN, PULUMI_CLI } from "../paths.ts";
import { isInterruption, StepError, step } from "../progress.ts";
import { forgetRefusal, recentRefusal, refusalNote, rememberRefusal } from "../stamps.ts";
import { judgeEngine } from "./existing.ts";
import type { Attempt } from "./types.ts";

/** The package's version is the version of the CLI that it downloads. */
export const CLI_VERSION = "3.265.0";
/** The CLI is about 120 MB. A machine that needs longer than this builds it in five minutes instead. */
const LIMIT_SECONDS = 120;
const REFUSAL = "pulumi-cli";
const PARTIAL = `${PULUMI_CLI}.partial`;

export async function downloadEngine(): Promise<Attempt> {
  // The layout is the package's own: PULUMI_HOME/versions/VERSION/bin.
  const pulumi = join(PULUMI_CLI, "versions", CLI_VERSION, "bin/pulumi");
  if (existsSync(pulumi)) {
    const judged = await judgeEngine(pulumi, "download", "");
    if ("engine" in judged) return judged;
    rmSync(PULUMI_CLI, { recursive: true, force: true });
  }
  const refusal = recentRefusal(REFUSAL);
  if (refusal !== undefined) return { reason: `${refusal.reason} (${refusalNote(REFUSAL, refusal)})` };
  try {
    await download();
  } catch (error) {
    rmSync(PARTIAL, { recursive: true, force: true });
    if (isInterruption(error)) throw error;
    const reason = shortReason(error);
    rememberRefusal(REFUSAL, reason);
    return { reason };
  }
  const judged = await judgeEngine(pulumi, "download", "");
  if ("engine" in judged) forgetRefusal(REFUSAL);
  else rememberRefusal(REFUSAL, judged.reason);
  return judged;
}

/** Into a folder of its own that gets the final name when it is complete. */
async function download(): Promise<void> {
  rmSync(PARTIAL, { recursive: true, force: true });
  mkdirSync(PARTIAL, { recursive: true });
  await step({
    title: `Pulumi CLI ${CLI_VERSION}: getting its downloader`,
    log: "pulumi-npm",
    estimateSeconds: 5,
    command: [
      ...npm(),
      ...[
        "install",
        "--prefix",
        PARTIAL,
        "--no-save",
        "--no-package-lock",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
      ],
      `pulumi@${CLI_VERSION}`,
    ],
    timeoutSeconds: 60,
    mayFail: true,
  });
  await step({
    title: `Pulumi CLI ${CLI_VERSION}: downloading`,
    log: "pulumi-download",
    estimateSeconds: 30,
    command: [NODE, join(PARTIAL, "node_modules/pulumi/run.js"), "version"],
    env: {
      ...process.env,
      PULUMI_HOME: PARTIAL,
      PULUMI_VERSION: CLI_VERSION,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // Its fetch() honours HTTPS_PROXY only when told so (Node ≥ 24.5, --use-env-proxy).
      NODE_USE_ENV_PROXY: "1",
    },
    timeoutSeconds: LIMIT_SECONDS,
    mayFail: true,
  });
  rmSync(PULUMI_CLI, { recursive: true, force: true });
  renameSync(PARTIAL, PULUMI_CLI);
}

/** The npm that started us, else the one on PATH, else the one beside our Node. */
function npm(): [string, ...string[]] {
  const script = process.env["npm_execpath"];
  if (script?.endsWith("npm-cli.js") && existsSync(script)) return [NODE, script];
  const found = findOnPath("npm")[0] ?? join(NODE_BIN, "npm");
  return [found];
}

function shortReason(error: unknown): string {
  if (!(error instanceof StepError)) return String((error as Error).message);
  const said = error.output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  const outcome = error.message.split("\n")[0] ?? "";
  if (/took longer|could not be started/.test(outcome) || said === "") return outcome;
  return said.includes("fetch failed") ? `the vendor's site cannot be reached (${said})` : said;
}
