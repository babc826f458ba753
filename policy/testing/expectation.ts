import type { Gate } from "../pack/gate.ts";
import type { Case, GateCases } from "./cases.ts";

export type Verdict = "refuses" | "allows";

/** What is wrong with a gate's name or level; undefined when nothing is. */
export function misdeclared(gate: Gate, id: string, { level }: GateCases): string | undefined {
  if (gate.id !== id) return `the gate in ${id}.ts has the id "${gate.id}"`;
  return gate.level === level ? undefined : `it is "${gate.level}", not "${level}"`;
}

/** How what a gate said of a case differs from what the case expects; undefined when it does not. */
export function contradiction(
  expected: Verdict,
  { title, says = [], times }: Case,
  said: readonly string[],
): string | undefined {
  if (expected === "allows") return said.length === 0 ? undefined : `refuses "${title}": ${said.join(" ")}`;
  if (said.length === 0) return `lets "${title}" through`;
  if (said.length !== (times ?? said.length))
    return `tells ${said.length} problems of "${title}", not ${times}: ${said.join(" ")}`;
  const text = said.join("\n");
  let from = 0;
  for (const words of says) {
    const found = text.indexOf(words, from);
    if (found < 0) return `does not say "${words}" of "${title}": ${text}`;
    from = found + words.length;
  }
  return undefined;
}
