import type { Case, GateCases } from "../../policy/pack/cases.ts";
import type { Gate } from "../../policy/pack/gate.ts";

/** What a gate says of a case, one paragraph a problem. An error of the gate comes through as it is. */
export type Judge = (gate: Gate, trial: Case) => Promise<readonly string[]>;

/** A gate's cases, with the level that is expected of it: without one, a mutant of the level survives. */
export type Expected = Omit<GateCases, "level"> & { readonly level?: Gate["level"] };

export type Verdict = "refuses" | "allows";

/** What is wrong with a gate's name or level; undefined when nothing is. */
export function misdeclared(gate: Gate, id: string, { level }: Expected): string | undefined {
  if (gate.id !== id) return `the gate in ${id}.ts has the id "${gate.id}"`;
  if (level !== undefined && gate.level !== level) return `it is "${gate.level}", not "${level}"`;
  return undefined;
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
