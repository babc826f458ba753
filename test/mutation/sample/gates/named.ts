import type { Gate } from "../../../../policy/pack/gate.ts";
import { isUnfit } from "../modules/names.ts";

/** Its condition stands in a module that gates share. */
export const named: Gate = {
  id: "named",
  title: "Named",
  level: "mandatory",
  reason: "A name leads to one machine.",
  remediation: "Take another name.",
  check: ({ name }) => (isUnfit(name) ? [{ at: "name", message: "is taken" }] : []),
};
