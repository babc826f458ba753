import type { Gate } from "../../../../policy/pack/gate.ts";

/** Tells Stryker to ignore mutants, in ways that are not allowed. */
export const careless: Gate = {
  id: "careless",
  title: "Careless",
  level: "mandatory",
  reason: "What runs must not change by itself.",
  remediation: "Take a tag that stays.",
  check({ props }) {
    // Stryker disable next-line all
    const moves = props["tag"] === "latest";
    // Stryker disable next-line Equality: there is no such mutator
    const named = props["tag"] !== undefined;
    // Stryker disable next-line Regex: there is no regular expression
    const problems = [{ at: "tag", message: "moves" }];
    // Stryker disable all: for the rest of the file
    return moves && named ? problems : [];
  },
};
