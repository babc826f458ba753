import { describe, expect, it } from "vitest";
import { readEvents } from "./events.ts";
import { reviewStatus } from "./report.ts";
import { verdicts } from "./verdicts.ts";

const GATES = [
  { id: "pinned-image", level: "mandatory", title: "Pinned image" },
  { id: "guest-sizes", level: "advisory", title: "Sizes" },
];
const PASSED = { policyAnalyzeSummaryEvent: { passed: ["pinned-image", "guest-sizes"] } };
const END = { summaryEvent: { resourceChanges: { create: 2 } } };
const FAILED = { diagnosticEvent: { severity: "error", message: "preview failed\n" } };
const violation = (policyName: string, enforcementLevel: string, more = {}) => ({
  policyEvent: {
    policyName,
    policyPackName: "hermes",
    enforcementLevel,
    message: "m",
    resourceUrn: "u::a",
    ...more,
  },
});

function judged(events: readonly object[], status: number) {
  const found = verdicts(GATES, readEvents(events.map((event) => JSON.stringify(event)).join("\n")), status);
  return {
    texts: found.map(({ id, text }) => `${id} ${text}`),
    exit: reviewStatus({ status, verdicts: found }),
  };
}

describe("the verdicts of the gates", () => {
  it("pass when each gate looked and found nothing", () => {
    expect(judged([PASSED, END], 0)).toEqual({
      texts: ["pinned-image passed", "guest-sizes passed"],
      exit: 0,
    });
  });

  it("refuse when a mandatory gate found something, and count it", () => {
    const found = violation("pinned-image", "mandatory");
    expect(judged([PASSED, found, found, FAILED, END], 1)).toEqual({
      texts: ["pinned-image refused: 2", "guest-sizes passed"],
      exit: 1,
    });
  });

  it("go by the level that the engine used, not by the one that the gate was written with", () => {
    const lowered = violation("pinned-image", "advisory");
    expect(judged([PASSED, lowered, END], 0)).toMatchObject({
      texts: ["pinned-image advised: 1", "guest-sizes passed"],
    });
    const raised = violation("guest-sizes", "mandatory");
    expect(judged([PASSED, raised, END], 0)).toMatchObject({ exit: 1 });
  });

  it("only advise where nothing is mandatory", () => {
    expect(judged([PASSED, violation("guest-sizes", "advisory"), END], 0)).toEqual({
      texts: ["pinned-image passed", "guest-sizes advised: 1"],
      exit: 0,
    });
  });

  it("let nothing pass that a failed program did not show", () => {
    const error = { diagnosticEvent: { severity: "error", message: "the program threw" } };
    const expected = { texts: ["pinned-image not judged", "guest-sizes not judged"], exit: 1 };
    expect(judged([PASSED, error, FAILED, END], 1)).toEqual(expected);
    expect(judged([PASSED], 1)).toEqual(expected);
    const refusedToo = judged([PASSED, violation("pinned-image", "mandatory"), error, END], 1);
    expect(refusedToo.texts).toEqual(["pinned-image refused: 1", "guest-sizes not judged"]);
  });

  it("do not succeed when no gate judged, whatever the engine says", () => {
    expect(judged([], 0)).toMatchObject({ exit: 1 });
    expect(judged([END], 0)).toMatchObject({ exit: 1 });
  });

  it("list a violation of any other policy too", () => {
    expect(judged([PASSED, violation("other", "mandatory"), END], 1)).toEqual({
      texts: ["pinned-image passed", "guest-sizes passed", "other refused: 1"],
      exit: 1,
    });
  });

  it("leave out what was excepted", () => {
    const excepted = violation("pinned-image", "mandatory", { exceptions: [{ id: "1" }] });
    expect(judged([PASSED, excepted, END], 0)).toMatchObject({ exit: 0 });
  });

  it("are not disturbed by a line that was cut off", () => {
    const log = `${JSON.stringify(PASSED)}\n${JSON.stringify(END)}\n{"policyEv`;
    expect(verdicts(GATES, readEvents(log), 0).map(({ text }) => text)).toEqual(["passed", "passed"]);
  });
});
