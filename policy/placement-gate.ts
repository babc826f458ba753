import type { ResourceValidationPolicy } from "@pulumi/policy";

/**
 * Refuses a Proxmox guest on a cluster that has not been cleared for a stateful workload, and one whose clearance
 * nobody signed or that contradicts its own phases.
 */
export const placementGate: ResourceValidationPolicy = {
  name: "placement-gate",
  displayName: "Placement gate",
  description: "A Proxmox guest is placed only on a cluster that was cleared for it, with evidence.",
  remediationSteps:
    "When every phase has passed: set hermes:guest.placement.cleared with clearedOn, clearedBy, evidence and phases.",
  enforcementLevel: "mandatory",
  severity: "high",
  validateResource(args, reportViolation) {
    if (args.type !== "hermes:index:HermesGuest" || args.props["kind"] !== "proxmox") return;
    const reason = closed(args.props["placement"]);
    if (reason === undefined) return;
    reportViolation(
      `The placement gate for ${args.name} is closed: ${reason}. Hermes keeps memories and sessions that cannot be ` +
        "made again, so it goes only on a cluster that was cleared for that. When it is, set cleared, clearedOn, " +
        "clearedBy, evidence and the phases under hermes:guest.placement.",
    );
  },
};

/** Why the gate is closed; undefined when it is open. */
function closed(placement: unknown): string | undefined {
  if (!isRecord(placement)) return "it is not configured";
  const phases = isRecord(placement["phases"]) ? Object.entries(placement["phases"]) : [];
  const pending = phases
    .filter(([, state]) => state !== "passed")
    .map(([phase, state]) => `phase ${phase} is ${state}`);
  if (placement["cleared"] !== true) return [`cleared is ${placement["cleared"]}`, ...pending].join(", ");
  if (phases.length === 0) return "it is cleared, and no phase is listed as passed";
  if (pending.length > 0) return `it is cleared, and yet ${pending.join(", ")}`;
  for (const key of ["clearedOn", "clearedBy", "evidence"]) {
    if (typeof placement[key] !== "string" || placement[key] === "") return `it is cleared without ${key}`;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
