import type { Gate } from "../../../../policy/pack/gate.ts";

/** Fails its own case. */
export const mistaken: Gate = {
  id: "mistaken",
  title: "Mistaken",
  level: "mandatory",
  reason: "What runs must not change by itself.",
  remediation: "Take a tag that stays.",
  check: () => [],
};
