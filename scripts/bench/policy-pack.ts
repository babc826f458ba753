import { join } from "node:path";
import { ScratchStack } from "../../test/support/engine.ts";
import { cleared, shippedConfig } from "../../test/support/settings.ts";
import { ROOT } from "../setup/paths.ts";
import { median, range, seconds } from "./time.ts";

const RUNS = 7;
const MANY = 50;
/** What the policy pack may add: to fifty guests less one, as a factor, and to an empty pack's start, in seconds. */
const MOST = { perResource: 1.1, start: 0.2 } as const;

/** What is measured: with which pack, and how many guests the stack has. What is compared runs side by side. */
const KINDS = {
  "empty pack, no guest": ["test/bench/empty-pack", 0],
  "pack, no guest": ["policy", 0],
  "no pack, one guest": [undefined, 1],
  "pack, one guest": ["policy", 1],
  [`no pack, ${MANY} guests`]: [undefined, MANY],
  [`pack, ${MANY} guests`]: ["policy", MANY],
} as const satisfies Record<string, readonly [pack: string | undefined, guests: number]>;
type Run = Readonly<Record<string, number>>;

/**
 * What the policy pack adds to a preview: per resource, by the time of fifty guests less that of one; and at its start,
 * over a pack without gates, by a stack without guests. Both are taken of each run by itself, since the speed of a
 * machine drifts more from run to run than a pack costs, and the median of the runs counts.
 * @returns whether both are within their limits.
 */
export async function benchPolicyPack(): Promise<boolean> {
  const stack = await ScratchStack.make(join(ROOT, "test/bench/guests-program"));
  const runs: Run[] = [];
  try {
    for (let run = 0; run < RUNS; run += 1) {
      const taken = Object.entries(KINDS).map(([kind, [pack, guests]]) => {
        const [time = Number.NaN] = seconds(1, () => preview(stack, guests, pack));
        return [kind, time] as const;
      });
      runs.push(Object.fromEntries(taken));
    }
  } finally {
    stack.remove();
  }
  const sorted = (value: (run: Run) => number) => runs.map(value).toSorted((a, b) => a - b);
  console.log(`\nPreviews of new guests. Seconds over ${RUNS} runs: median (least to most)`);
  for (const kind of Object.keys(KINDS)) {
    console.log(`${kind.padEnd(22)}${range(sorted((run) => run[kind] ?? Number.NaN))}`);
  }
  const added = (pack: string) => (run: Run) =>
    (run[`${pack}, ${MANY} guests`] ?? Number.NaN) - (run[`${pack}, one guest`] ?? Number.NaN);
  const factors = sorted((run) => added("pack")(run) / added("no pack")(run));
  const starts = sorted(
    (run) => (run["pack, no guest"] ?? Number.NaN) - (run["empty pack, no guest"] ?? Number.NaN),
  );
  console.log(
    `(${MANY} guests - one guest) with the pack / without it: ${range(factors)}, at most ${MOST.perResource}`,
  );
  console.log(`start over an empty pack: ${range(starts)} s, at most ${MOST.start} s`);
  return median(factors) <= MOST.perResource && median(starts) <= MOST.start;
}

function preview(stack: ScratchStack, guests: number, pack: string | undefined): void {
  const config = { ...shippedConfig("pve-sbx", cleared), "bench:guests": String(guests) };
  const args = pack === undefined ? [] : ["--policy-pack", join(ROOT, pack)];
  const { status, output } = stack.run(["preview", ...args], config);
  if (status !== 0) throw new Error(`the preview of ${guests} guests failed:\n${output.slice(-2000)}`);
}
