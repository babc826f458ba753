import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gates } from "../../policy/gates.ts";
import type { Case, GateCases } from "../../policy/testing/cases.ts";
import { nameOf, type PolicyViolation, readEvents } from "../../scripts/review/events.ts";
import { ROOT } from "../../scripts/setup/paths.ts";
import { ScratchStack } from "../support/engine.ts";

/** Stacks that run cases side by side: an engine waits as much as it works. */
const SIDE_BY_SIDE = 3;
type Verdict = "refuses" | "allows";

const free: ScratchStack[] = [];
const waiting: ((stack: ScratchStack) => void)[] = [];
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-gates-"));
  for (let index = 0; index < SIDE_BY_SIDE; index += 1) {
    free.push(await ScratchStack.make(join(ROOT, "test/engine/gates-program")));
  }
});
afterAll(() => {
  for (const stack of free) stack.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Judged {
  readonly status: number | null;
  /** What this gate said. */
  readonly violations: readonly PolicyViolation[];
  readonly output: string;
}

/** Previews cases of a gate, all in one program; the settings and the configuration are those of the first. */
async function preview(
  gate: string,
  verdict: Verdict,
  cases: readonly Case[],
  indexes: readonly number[],
): Promise<Judged> {
  const stack = free.pop() ?? (await new Promise<ScratchStack>((resolve) => waiting.push(resolve)));
  const one = cases[indexes[0] ?? 0];
  try {
    const run = join(folder, `${gate}-${verdict}-${indexes[0]}`);
    const [log, settings] = [`${run}.events`, `${run}.json`];
    writeFileSync(settings, JSON.stringify(one?.settings === undefined ? {} : { [gate]: one.settings }));
    const pack = ["--policy-pack", join(ROOT, "policy"), "--policy-pack-config", settings];
    const config = { ...one?.config, "test:cases": JSON.stringify({ gate, verdict, indexes }) };
    const { status, output } = await stack.start(["preview", ...pack, "--event-log", log], config);
    expect(existsSync(log), output).toBe(true);
    const { violations, steps } = readEvents(readFileSync(log, "utf8"));
    // A program that died has no violations either.
    const seen = steps.map(({ urn }) => nameOf(urn));
    expect(seen, output).toEqual(expect.arrayContaining(namesOf(cases, indexes)));
    return { status, output, violations: violations.filter(({ policyName }) => policyName === gate) };
  } finally {
    const next = waiting.shift();
    if (next === undefined) free.push(stack);
    else next(stack);
  }
}

/** What the program calls the resources of these cases (gates-program/index.ts). */
const namesOf = (cases: readonly Case[], indexes: readonly number[]): string[] =>
  indexes.flatMap((index) =>
    (cases[index]?.resources ?? []).map(({ name = "it" }) =>
      indexes.length === 1 ? name : `${index}-${name}`,
    ),
  );

/** Gates that compare resources of one neighbourhood only: their cases do not meet where each has a component. */
const BY_NEIGHBOURHOOD = ["persistent-data", "image-digest"];

/** Places of the cases that can be judged in one program, and of those that need one of their own. */
function sorted(gate: string, cases: readonly Case[]): { together: number[]; alone: number[] } {
  const own = ({ resources, settings, config }: Case) =>
    settings !== undefined ||
    config !== undefined ||
    (resources.length > 1 && !BY_NEIGHBOURHOOD.includes(gate));
  const places = [...cases.keys()];
  const alone = places.filter((place) => cases[place] !== undefined && own(cases[place]));
  return { together: places.filter((place) => !alone.includes(place)), alone };
}

describe.concurrent.each(gates.map((gate) => [gate.id, gate] as const))(
  "the gate %s on the engine",
  async (id, { level }) => {
    const { cases } = (await import(`../../policy/gates/${id}.cases.ts`)) as { cases: GateCases };

    it("refuses what it refuses, at its level", async () => {
      const { together } = sorted(id, cases.refuses);
      const { violations, status, output } = await preview(id, "refuses", cases.refuses, together);
      const refused = violations.map(({ resourceUrn = "" }) => Number.parseInt(nameOf(resourceUrn), 10));
      const missed = together.filter((place) => !refused.includes(place));
      expect(
        missed.map((place) => cases.refuses[place]?.title),
        output.slice(-4000),
      ).toEqual([]);
      expect(new Set(violations.map(({ enforcementLevel }) => enforcementLevel))).toEqual(new Set([level]));
      if (level === "mandatory") expect(status).not.toBe(0);
    });

    it("lets through what it lets through", async () => {
      const { together } = sorted(id, cases.allows);
      const { violations } = await preview(id, "allows", cases.allows, together);
      expect(violations.map(({ resourceUrn = "", message }) => `${nameOf(resourceUrn)}: ${message}`)).toEqual(
        [],
      );
    });

    for (const verdict of ["refuses", "allows"] as const) {
      for (const place of sorted(id, cases[verdict]).alone) {
        it(`${verdict} ${cases[verdict][place]?.title}`, async () => {
          const { violations, output } = await preview(id, verdict, cases[verdict], [place]);
          expect(violations.length > 0, output.slice(-4000)).toBe(verdict === "refuses");
        });
      }
    }
  },
);
