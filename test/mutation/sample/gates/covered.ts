import type { Gate, Problem } from "../../../../policy/pack/gate.ts";

// Computed when the module loads: its mutants need a module of their own.
const MOVING: readonly string[] = ["latest", "main"];

/** Every condition of this one is held by a case. */
export const covered: Gate<{ most: number }> = {
  id: "covered",
  title: "Covered",
  level: "mandatory",
  reason: "What runs must not change by itself.",
  remediation: "Take a tag that stays.",
  config: {
    defaults: { most: 2 },
    properties: { most: { type: "number", description: "How many tags there may be." } },
  },
  check({ type, props }, { most }) {
    if (type !== "sample") return [];
    const tags = String(props["tags"]).split(" ");
    const problems: Problem[] = [];
    for (const tag of tags) {
      if (MOVING.includes(tag)) problems.push({ at: "tags", message: `has ${tag}, which moves` });
    }
    if (tags.length > most) problems.push({ at: "tags", message: "is too long" });
    return problems;
  },
};
