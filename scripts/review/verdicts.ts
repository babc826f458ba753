import type { Events, PolicyViolation } from "./events.ts";
import type { ReviewGate } from "./gates.ts";

/** What a gate found in one preview. */
export interface Verdict extends ReviewGate {
  readonly refused: readonly PolicyViolation[];
  readonly advised: readonly PolicyViolation[];
  /** "passed", "refused: n", "advised: n", "not judged" or "disabled". */
  readonly text: string;
}

/** The error that the engine adds when a gate refuses: it says nothing about the program. */
const REFUSAL = "preview failed";

/**
 * @returns a verdict a gate, and one for each other policy that found something.
 * @param status exit status of the preview.
 */
export function verdicts(gates: readonly ReviewGate[], events: Events, status: number): readonly Verdict[] {
  const unlisted = events.violations
    .filter(({ policyName }) => !gates.some(({ id }) => id === policyName))
    .map(({ policyName, policyPackName, enforcementLevel }) => ({
      id: policyName,
      level: enforcementLevel,
      title: `Policy of the pack ${policyPackName}`,
    }));
  const others = [...new Map(unlisted.map((gate) => [gate.id, gate])).values()];
  const complete = sawEverything(events, status);
  return [...gates, ...others].map((gate) => {
    const found = events.violations.filter(({ policyName }) => policyName === gate.id);
    const refused = found.filter(({ enforcementLevel }) => enforcementLevel === "mandatory");
    const advised = found.filter(({ enforcementLevel }) => enforcementLevel !== "mandatory");
    const texts = [
      ...(refused.length > 0 ? [`refused: ${refused.length}`] : []),
      ...(advised.length > 0 ? [`advised: ${advised.length}`] : []),
    ];
    const quiet = complete && events.passed.has(gate.id) ? "passed" : "not judged";
    const text = gate.level === "disabled" ? "disabled" : texts.join(", ") || quiet;
    return { ...gate, refused, advised, text };
  });
}

/** A program that stopped half-way has shown a gate only some of its resources: nothing passed by that. */
function sawEverything(events: Events, status: number): boolean {
  if (events.changes === undefined) return false;
  const errors = events.diagnostics.filter(
    ({ severity, message }) => severity === "error" && message.trim() !== REFUSAL,
  );
  const refused = events.violations.some(({ enforcementLevel }) => enforcementLevel === "mandatory");
  return errors.length === 0 && (status === 0 || refused);
}
