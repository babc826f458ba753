import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gates } from "../../policy/gates.ts";
import type { Case, GateCases } from "../../policy/pack/cases.ts";
import { nameOf, type PolicyViolation, readEvents } from "../../scripts/review/events.ts";
import { ROOT } from "../../scripts/setup/paths.ts";
import { ScratchStack } from "../support/engine.ts";

let stack: ScratchStack;
let folder: string;
beforeAll(async () => {
  stack = await ScratchStack.make(join(ROOT, "test/engine/gates-program"));
  folder = mkdtempSync(join(tmpdir(), "hermes-gates-"));
});
afterAll(() => {
  stack.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Verdict {
  readonly status: number | null;
  /** What this gate said. */
  readonly violations: readonly PolicyViolation[];
  readonly output: string;
}

/** Previews cases of a gate: the one at `index`, or all that have one resource and nothing of their own. */
function preview(gate: string, verdict: "refuses" | "allows", index?: number, one?: Case): Verdict {
  const [log, settings] = [join(folder, "events"), join(folder, "settings.json")];
  rmSync(log, { force: true });
  writeFileSync(settings, JSON.stringify(one?.settings === undefined ? {} : { [gate]: one.settings }));
  const pack = ["--policy-pack", join(ROOT, "policy"), "--policy-pack-config", settings];
  const config = { ...one?.config, "test:cases": JSON.stringify({ gate, verdict, index }) };
  const { status, output } = stack.run(["preview", ...pack, "--event-log", log], config);
  const { violations } = readEvents(readFileSync(log, "utf8"));
  return { status, output, violations: violations.filter(({ policyName }) => policyName === gate) };
}

const isAlone = ({ resources, settings, config }: Case): boolean =>
  resources.length === 1 && settings === undefined && config === undefined;

describe.each(gates.map((gate) => [gate.id, gate] as const))(
  "the gate %s on the engine",
  async (id, { level }) => {
    const { cases } = (await import(`../../policy/gates/${id}.cases.ts`)) as { cases: GateCases };

    it("refuses every resource that it refuses alone, at its level", () => {
      const { violations, status, output } = preview(id, "refuses");
      const refused = new Set(
        violations.map(({ resourceUrn = "" }) => Number.parseInt(nameOf(resourceUrn), 10)),
      );
      const titles = cases.refuses
        .filter((one, index) => isAlone(one) && !refused.has(index))
        .map(({ title }) => title);
      expect(titles, output.slice(0, 4000)).toEqual([]);
      expect(new Set(violations.map(({ enforcementLevel }) => enforcementLevel))).toEqual(new Set([level]));
      expect(status === 0).toBe(level === "advisory");
    });

    it("lets through every resource that it lets through alone", () => {
      const { violations } = preview(id, "allows");
      expect(violations.map(({ resourceUrn = "", message }) => `${nameOf(resourceUrn)}: ${message}`)).toEqual(
        [],
      );
    });

    for (const verdict of ["refuses", "allows"] as const) {
      cases[verdict].forEach((one, index) => {
        if (isAlone(one)) return;
        it(`${verdict} ${one.title}`, () => {
          const { violations, output } = preview(id, verdict, index, one);
          expect(violations.length > 0, output.slice(0, 4000)).toBe(verdict === "refuses");
        });
      });
    }
  },
);
