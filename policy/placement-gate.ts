import type { ResourceValidationPolicy } from "@pulumi/policy";
import { closedPlacement } from "../components/config/placement.ts";

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
    // Any kind but a microvm is held to it: a misspelt one must not be a way past.
    if (args.type !== "hermes:index:HermesGuest" || args.props["kind"] === "microvm") return;
    const reason = closedPlacement(args.props["placement"]);
    if (reason === undefined) return;
    reportViolation(
      `The placement gate for ${args.name} is closed: ${reason}. Hermes keeps memories and sessions that cannot be ` +
        "made again, so it goes only on a cluster that was cleared for that. When it is, set cleared, clearedOn, " +
        "clearedBy, evidence and the phases under hermes:guest.placement.",
    );
  },
};
