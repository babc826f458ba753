import { describe, expect, it } from "vitest";
import { violations } from "../test/support/policy.ts";
import { shippedSettings } from "../test/support/settings.ts";
import { placementGate } from "./placement-gate.ts";

const OPEN = {
  cleared: true,
  clearedOn: "2026-10-01",
  clearedBy: "the owner",
  evidence: "docs/plan.md",
  phases: { "0": "passed", "1": "passed", "2": "passed", "3": "passed", "4": "passed" },
};
const check = (placement: unknown, kind = "proxmox") =>
  violations(placementGate, { type: "hermes:index:HermesGuest", props: { kind, placement } });

describe("the gate placement-gate", () => {
  it("lets a cleared guest with evidence through", async () => {
    expect(await check(OPEN)).toEqual([]);
  });

  it("refuses the shipped pve-sbx stack and says which phases stand in the way", async () => {
    const guest = shippedSettings("pve-sbx").guest as unknown as { placement: unknown };
    const [message] = await check(guest.placement);
    expect(message).toContain("cleared is false, phase 1 is blocked, phase 3 is open, phase 4 is open");
  });

  it.each([
    ["no placement at all", undefined],
    ["cleared as a word", { ...OPEN, cleared: "true" }],
    ["a clearance that contradicts its phases", { ...OPEN, phases: { ...OPEN.phases, "1": "blocked" } }],
    ["a clearance without any phase", { ...OPEN, phases: {} }],
    ["a clearance with its blocked phases left out", { ...OPEN, phases: { "0": "passed" } }],
    ["a clearance with phases of its own invention", { ...OPEN, phases: { "99": "passed" } }],
    ["a clearance signed with a blank", { ...OPEN, clearedBy: " " }],
    ["a clearance of some day", { ...OPEN, clearedOn: "soon" }],
    ["a clearance of a day that does not exist", { ...OPEN, clearedOn: "2026-02-30" }],
    ["a clearance of the future", { ...OPEN, clearedOn: "2999-01-01" }],
    ["a clearance that nobody signed", { ...OPEN, clearedBy: undefined }],
    ["a clearance without a date", { ...OPEN, clearedOn: "" }],
    ["a clearance without evidence", { ...OPEN, evidence: "" }],
  ])("refuses %s", async (_title, placement) => {
    expect(await check(placement)).toHaveLength(1);
  });

  it.each(["Proxmox", "pve", ""])("holds a guest of the unknown kind %j to it", async (kind) => {
    expect(await check(undefined, kind)).toHaveLength(1);
  });

  it("has nothing to say of a microvm", async () => {
    expect(await check(undefined, "microvm")).toEqual([]);
  });
});
