import type { Gate } from "../../../../policy/pack/gate.ts";

/** Has no case that it refuses. */
export const caseless: Gate = {
  id: "caseless",
  title: "Caseless",
  level: "mandatory",
  reason: "Nothing is known of it.",
  remediation: "Find out.",
  check: () => [],
};
