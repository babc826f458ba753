/** The commissioning phases of a cluster, unless others are named. */
export const PHASES: readonly string[] = ["0", "1", "2", "3", "4"];
/** `YYYY-MM-DD`, which the engine's YAML reader makes longer where nobody has quoted it. */
const DATE = /^(\d{4}-\d{2}-\d{2})( 00:00:00 \+0000 UTC)?$/;
/** A day begins first on the islands that are 14 hours, in milliseconds, ahead of UTC. */
const AHEAD = 50_400_000;

/**
 * Why the gate is closed; undefined when it is open. A symbol stands for a value that is not known yet and that may
 * still turn out well: it closes nothing, and opens nothing that a known value closes.
 *
 * @param phases must all have passed, and so must any other that is listed. Default: 0 to 4.
 */
export function closedPlacement(placement: unknown, phases = PHASES, today = new Date()): string | undefined {
  if (typeof placement === "symbol") return undefined;
  if (!isRecord(placement)) return "it is not configured";
  const { cleared } = placement;
  const pending = pendingPhases(placement["phases"], phases);
  if (cleared !== true && typeof cleared !== "symbol")
    return [`cleared is ${asWritten(cleared)}`, ...pending].join(", ");
  if (pending.length > 0) return `it is cleared, and yet ${pending.join(", ")}`;
  for (const key of ["clearedOn", "clearedBy", "evidence"]) {
    const value = placement[key];
    if (typeof value === "symbol") continue;
    if (typeof value !== "string" || value.trim() === "") return `it is cleared without ${key}`;
  }
  const on = placement["clearedOn"];
  return typeof on === "string" ? wrongDate(on, today) : undefined;
}

function pendingPhases(phases: unknown, needed: readonly string[]): string[] {
  if (typeof phases === "symbol") return [];
  const listed = isRecord(phases) ? phases : {};
  return [...new Set([...needed, ...Object.keys(listed)])]
    .map((phase) => [phase, listed[phase] ?? "not listed"] as const)
    .filter(([, state]) => state !== "passed" && typeof state !== "symbol")
    .map(([phase, state]) => `phase ${phase} is ${typeof state === "string" ? state : asWritten(state)}`);
}

function wrongDate(text: string, today: Date): string | undefined {
  const on = String(DATE.exec(text)?.[1]);
  const date = new Date(`${on}T00:00:00Z`);
  if (Number.isNaN(date.valueOf()) || date.toISOString().slice(0, 10) !== on)
    return `clearedOn is ${JSON.stringify(text)}, which is no date`;
  const latest = String(new Date(today.valueOf() + AHEAD).toISOString().split("T")[0]);
  return on > latest ? `clearedOn is ${on}, which is yet to come` : undefined;
}

const asWritten = (value: unknown): string => JSON.stringify(value) ?? "missing";

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
