/** The commissioning phases of the cluster, 0 to 4: all must have passed, and none can be left out. */
const PHASES = ["0", "1", "2", "3", "4"];
/** `YYYY-MM-DD`, which the engine's YAML reader makes longer where nobody has quoted it. */
const DATE = /^(\d{4}-\d{2}-\d{2})( 00:00:00 \+0000 UTC)?$/;

/**
 * Why the gate is closed; undefined when it is open. A symbol stands for a value that is not known yet and that may
 * still turn out well: it closes nothing, and opens nothing that a known value closes.
 */
export function closedPlacement(placement: unknown, today = new Date()): string | undefined {
  if (typeof placement === "symbol") return undefined;
  if (!isRecord(placement)) return "it is not configured";
  const { cleared } = placement;
  const pending = pendingPhases(placement["phases"]);
  if (cleared !== true && typeof cleared !== "symbol")
    return [`cleared is ${shown(cleared)}`, ...pending].join(", ");
  if (pending.length > 0) return `it is cleared, and yet ${pending.join(", ")}`;
  for (const key of ["clearedOn", "clearedBy", "evidence"]) {
    const value = placement[key];
    if (typeof value === "symbol") continue;
    if (typeof value !== "string" || value.trim() === "") return `it is cleared without ${key}`;
  }
  const on = placement["clearedOn"];
  return typeof on === "string" ? wrongDate(on, today) : undefined;
}

function pendingPhases(phases: unknown): string[] {
  if (typeof phases === "symbol") return [];
  const listed = isRecord(phases) ? phases : {};
  return [...new Set([...PHASES, ...Object.keys(listed)])]
    .map((phase) => [phase, listed[phase] ?? "not listed"] as const)
    .filter(([, state]) => state !== "passed" && typeof state !== "symbol")
    .map(([phase, state]) => `phase ${phase} is ${shown(state)}`);
}

function wrongDate(text: string, today: Date): string | undefined {
  const on = DATE.exec(text)?.[1];
  const date = new Date(`${on}T00:00:00Z`);
  if (Number.isNaN(date.valueOf()) || date.toISOString().slice(0, 10) !== on)
    return `clearedOn is ${JSON.stringify(text)}, which is no date`;
  // A day begins first on the islands that are 14 hours ahead of UTC.
  const begins = new Date(`${on}T00:00:00+14:00`);
  // Stryker disable next-line EqualityOperator: cases are judged at any time; placement.test.ts has the second
  return begins > today ? `clearedOn is ${on}, which is yet to come` : undefined;
}

const shown = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "missing");

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
