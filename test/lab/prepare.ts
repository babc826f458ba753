import { ensureDebianPackages, LAB_PACKAGES } from "../../scripts/setup/debian-packages.ts";
import { type Engine, ensureEngine } from "../../scripts/setup/engine.ts";
import { ensurePlugins, type PluginKind } from "../../scripts/setup/plugins.ts";
import { ensurePython } from "../../scripts/setup/python.ts";
import { ensureImages } from "./images/images.ts";
import type { StackName } from "./record.ts";

/** Everything that a stack's lab needs on this machine: about ten minutes the first time, nothing the second. */
export async function prepare(
  stack: StackName = "pve-sbx",
): Promise<{ engine: Engine; plugins: PluginKind }> {
  await ensureDebianPackages(LAB_PACKAGES);
  // Side by side, since much of each is waiting for the network. All end before a failure is reported.
  const outcomes = await Promise.allSettled([
    engineAndPlugins(),
    // The lab's Proxmox API is written in it.
    stack === "pve-sbx" ? ensurePython() : undefined,
    ensureImages(stack),
  ]);
  const [engine] = outcomes;
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (failures.length > 0)
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.join("\n"));
  if (engine.status === "rejected") throw engine.reason;
  return engine.value;
}

async function engineAndPlugins(): Promise<{ engine: Engine; plugins: PluginKind }> {
  const engine = await ensureEngine();
  return { engine, plugins: await ensurePlugins(engine) };
}
