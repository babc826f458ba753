import { join } from "node:path";
import { ScratchStack } from "../../test/support/engine.ts";
import { cleared, shippedConfig } from "../../test/support/settings.ts";
import { ROOT } from "../setup/paths.ts";
import { range, seconds } from "./time.ts";

const RUNS = 5;
const MANY = 50;
/** What the policy pack may add: to fifty guests less one, as a factor, and to an empty pack's start, in seconds. */
const MOST = { perResource: 1.1, start: 0.2 } as const;

/** What is measured: with which pack, and how many guests the stack has. */
const KINDS = {
  "no pack, one guest": [undefined, 1],
  [`no pack, ${MANY} guests`]: [undefined, MANY],
  "pack, one guest": ["policy", 1],
  [`pack, ${MANY} guests`]: ["policy", MANY],
  "empty pack, no guest": ["test/bench/empty-pack", 0],
  "pack, no guest": ["policy", 0],
} as const satisfies Record<string, readonly [pack: string | undefined, guests: number]>;
type Kind = keyof typeof KINDS;

/**
 * What the policy pack adds to a preview: per resource, by the time of fifty guests less that of one; and at its start,
 * over a pack without gates, by a stack without guests. The kinds of run alternate, so that a change of the machine's
 * load meets all of them, and the least of each kind is compared: what else the machine does only adds.
 * @returns whether both are within their limits.
 */
export async function benchPolicyPack(): Promise<boolean> {
  const stack = await ScratchStack.make(join(ROOT, "test/bench/guests-program"));
  const taken = new Map<string, number[]>();
  try {
    for (let run = 0; run < RUNS; run += 1) {
      for (const [kind, [pack, guests]] of Object.entries(KINDS)) {
        const all = taken.get(kind) ?? [];
        taken.set(kind, [...all, ...seconds(1, () => preview(stack, guests, pack))]);
      }
    }
  } finally {
    stack.remove();
  }
  const sorted = (kind: string) => (taken.get(kind) ?? []).toSorted((a, b) => a - b);
  console.log(`\nPreviews of new guests. Seconds over ${RUNS} runs: median (least to most)`);
  for (const kind of Object.keys(KINDS)) console.log(`${kind.padEnd(22)}${range(sorted(kind))}`);

  const least = (kind: Kind) => sorted(kind)[0] ?? Number.NaN;
  const gated = least(`pack, ${MANY} guests`) - least("pack, one guest");
  const ungated = least(`no pack, ${MANY} guests`) - least("no pack, one guest");
  const perResource = gated / ungated;
  const start = least("pack, no guest") - least("empty pack, no guest");
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
