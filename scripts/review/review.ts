import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../setup/engine.ts";
import { foreground } from "../setup/foreground.ts";
import { ROOT } from "../setup/paths.ts";
import { ownBackend, scratchBackend } from "./backend.ts";
import { readEvents } from "./events.ts";
import type { ReviewGate } from "./gates.ts";
import { placeholderLines, type Report } from "./report.ts";
import type { Signals } from "./signals.ts";
import { verdicts } from "./verdicts.ts";

export interface ReviewOptions {
  readonly engine: Engine;
  readonly gates: readonly ReviewGate[];
  readonly signals: Signals;
  /** Settings of the gates. */
  readonly packConfig?: string;
  /** Folder of the stack files. Default: the project's. */
  readonly files?: string;
}

/**
 * One preview of one stack with the policy pack; the person sees the engine's own output. All that it writes stands in
 * a folder of its own, which is removed.
 * @returns undefined when a signal came.
 */
export async function review(stack: string, options: ReviewOptions): Promise<Report | undefined> {
  const { engine, gates, signals, packConfig, files = ROOT } = options;
  const folder = mkdtempSync(join(tmpdir(), "hermes-review-"));
  try {
    const file = join(files, `Pulumi.${stack}.yaml`);
    const own = process.env["PULUMI_BACKEND_URL"] !== undefined;
    const backend = own
      ? ownBackend(engine, stack, file, folder)
      : await scratchBackend(engine, stack, file, folder);
    if (signals.status() !== undefined) return undefined;
    console.log(
      own ? `Stack ${stack}, on its own state.` : `Stack ${stack}, on an empty state: everything is new.`,
    );
    for (const line of placeholderLines(backend.placeholders ?? [])) console.log(`  ${line}`);
    const log = join(folder, "events.jsonl");
    const status = await foreground(
      engine.pulumi,
      [
        "preview",
        ...backend.selection,
        ...["--policy-pack", join(ROOT, "policy")],
        ...(packConfig === undefined ? [] : ["--policy-pack-config", packConfig]),
        ...["--event-log", log],
      ],
      // The flag for the log is there when this is set; the Automation API uses the two in the same way.
      { cwd: ROOT, env: { ...backend.env, PULUMI_DEBUG_COMMANDS: "true" } },
    );
    if (signals.status() !== undefined) return undefined;
    const events = readEvents(existsSync(log) ? readFileSync(log, "utf8") : "");
    return {
      stack,
      status,
      events,
      verdicts: verdicts(gates, events, status),
      ...(backend.placeholders === undefined ? {} : { placeholders: backend.placeholders }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
