/** A usable Pulumi engine, by the first of three ways that works here. */
import { buildEngine } from "./engine/build.ts";
import { downloadEngine } from "./engine/download.ts";
import { findEngine } from "./engine/existing.ts";
import type { Attempt, Engine } from "./engine/types.ts";
import { withLock } from "./lock.ts";

export type { Engine } from "./engine/types.ts";

const WAYS: readonly (readonly [name: string, find: () => Promise<Attempt>])[] = [
  ["a `pulumi` on PATH", findEngine],
  ["the download by the npm package `pulumi`", downloadEngine],
  ["a build from Go modules", buildEngine],
];

/** A second call is quick: what was downloaded or built is used again. */
export async function ensureEngine(): Promise<Engine> {
  return await withLock("engine", async () => {
    const closed: string[] = [];
    for (const [name, find] of WAYS) {
      const attempt = await find();
      if ("engine" in attempt) return attempt.engine;
      closed.push(`  - ${name}: ${attempt.reason}`);
    }
    throw new Error(
      [
        "There is no Pulumi engine, and none of the three ways to one is open here:",
        ...closed,
        "Any one of them is enough: install the Pulumi CLI (3.230 or newer), or a network that reaches the vendor, or Go.",
      ].join("\n"),
    );
  });
}
