import type { Gate } from "../../../../policy/pack/gate.ts";

/** No case holds its second condition. */
export const uncovered: Gate = {
  id: "uncovered",
  title: "Uncovered",
  level: "advisory",
  reason: "What runs must not change by itself.",
  remediation: "Take a tag that stays.",
  check({ props, protect }) {
    const moves = props["tag"] === "latest";
    if (moves || protect) return [{ at: "tag", message: "moves" }];
    return [];
  },
};
