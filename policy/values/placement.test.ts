import { describe, expect, it } from "vitest";
import { closedPlacement, PHASES } from "./placement.ts";

const OPEN = {
  cleared: true,
  clearedOn: "2026-10-01",
  clearedBy: "the owner",
  evidence: "docs/plan.md",
  phases: { "0": "passed", "1": "passed", "2": "passed", "3": "passed", "4": "passed" },
};
const onDay = (time: string) => closedPlacement(OPEN, PHASES, new Date(time));
const NOT_KNOWN = Symbol("not known");

describe("the placement gate", () => {
  it("opens on the day that stands in the clearance, wherever on earth that day has begun", () => {
    expect(onDay("2026-09-30T10:00:00Z")).toBeUndefined();
    expect(onDay("2026-09-30T09:59:59Z")).toBe("clearedOn is 2026-10-01, which is yet to come");
  });

  it("waits for values that are not known yet, and only for those", () => {
    expect(closedPlacement(NOT_KNOWN)).toBeUndefined();
    for (const key of Object.keys(OPEN))
      expect(closedPlacement({ ...OPEN, [key]: NOT_KNOWN }), key).toBeUndefined();
    expect(closedPlacement({ ...OPEN, cleared: NOT_KNOWN, clearedBy: "" })).toBe(
      "it is cleared without clearedBy",
    );
  });

  it("demands the phases that a cluster has, and whatever else is listed", () => {
    const placement = { ...OPEN, phases: { power: "passed", network: "passed" } };
    expect(closedPlacement(placement, ["power", "network"])).toBeUndefined();
    expect(closedPlacement(placement, ["power", "disks"])).toContain("phase disks is not listed");
    expect(closedPlacement({ ...OPEN, phases: { power: "open" } }, [])).toContain("phase power is open");
    expect(closedPlacement(placement)).toContain("phase 0 is not listed");
  });

  it("stays closed, with a sentence, for values that nobody would write", () => {
    const odd = Object.assign(Object.create(null) as object, { a: 1 });
    expect(closedPlacement({ ...OPEN, cleared: odd })).toBe('cleared is {"a":1}');
    expect(closedPlacement({ ...OPEN, phases: { ...OPEN.phases, "1": odd } })).toContain(
      'phase 1 is {"a":1}',
    );
    expect(closedPlacement({ ...OPEN, cleared: undefined })).toBe("cleared is missing");
    expect(closedPlacement({ ...OPEN, cleared: "true" })).toBe('cleared is "true"');
    for (const strange of [null, undefined, [], "open", true])
      expect(closedPlacement(strange)).toBe("it is not configured");
  });
});
