import { join } from "node:path";
import { ScratchStack } from "../../test/support/engine.ts";
import { cleared, shippedConfig } from "../../test/support/settings.ts";
import { ROOT } from "../setup/paths.ts";
import { median, range, seconds } from "./time.ts";

const RUNS = 5;
const MANY = 50;
/** What the pack may add: to fifty guests less one, as a factor, and to an empty pack's start, in seconds. */
const MOST = { perResource: 1.1, start: 0.2 } as const;

/**
 * What the policy pack adds to a preview: per resource, by the time of fifty guests less that of one; and at its start,
 * over a pack without gates. The kinds of run alternate, so that a change of the machine's load meets all of them.
 * @returns whether both are within their limits.
 */
export async function benchPolicyPack(): Promise<boolean> {
  const stack = await ScratchStack.make(join(ROOT, "test/bench/guests-program"));
  const packs = { without: undefined, empty: "test/bench/empty-pack", pack: "policy" } as const;
  const taken = new Map<string, number[]>();
  try {
    for (let run = 0; run < RUNS; run += 1) {
      for (const [name, pack] of Object.entries(packs)) {
        for (const guests of [1, MANY]) {
          const key = `${name} ${guests}`;
          taken.set(key, [...(taken.get(key) ?? []), ...seconds(1, () => preview(stack, guests, pack))]);
        }
      }
    }
  } finally {
    stack.remove();
  }
  const sorted = (name: keyof typeof packs, guests: number) =>
    (taken.get(`${name} ${guests}`) ?? []).toSorted((a, b) => a - b);
  const at = (name: keyof typeof packs, guests: number) => median(sorted(name, guests));
  console.log(`\nPreviews of new guests. Seconds over ${RUNS} runs: median (least to most)`);
  for (const name of ["without", "empty", "pack"] as const) {
    console.log(
      `${name.padEnd(10)} one guest ${range(sorted(name, 1))}   ${MANY} guests ${range(sorted(name, MANY))}`,
    );
  }
  const perResource = (at("pack", MANY) - at("pack", 1)) / (at("without", MANY) - at("without", 1));
  const start = at("pack", 1) - at("empty", 1);
  console.log(
    `(${MANY} guests - one guest) with the pack / without it: ${perResource.toFixed(3)}, at most ${MOST.perResource}`,
  );
  console.log(`start over an empty pack: ${start.toFixed(2)} s, at most ${MOST.start} s`);
  return perResource <= MOST.perResource && start <= MOST.start;
}

function preview(stack: ScratchStack, guests: number, pack: string | undefined): void {
  const config = { ...shippedConfig("pve-sbx", cleared), "bench:guests": String(guests) };
  const args = pack === undefined ? [] : ["--policy-pack", join(ROOT, pack)];
  const { status, output } = stack.run(["preview", ...args], config);
  if (status !== 0) throw new Error(`the preview of ${guests} guests failed:\n${output.slice(-2000)}`);
}
