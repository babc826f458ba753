/** The commissioning phases of the cluster, 0 to 4: all must have passed, and none can be left out. */
const PHASES = ["0", "1", "2", "3", "4"];

/** Why the gate is closed; undefined when it is open. */
export function closedPlacement(placement: unknown, today = new Date()): string | undefined {
  if (!isRecord(placement)) return "it is not configured";
  const listed = isRecord(placement["phases"]) ? placement["phases"] : {};
  const phases = Object.fromEntries(
    [...PHASES, ...Object.keys(listed)].map((key) => [key, listed[key] ?? "not listed"]),
  );
  const pending = Object.entries(phases)
    .filter(([, state]) => state !== "passed")
    .map(([phase, state]) => `phase ${phase} is ${state}`);
  if (placement["cleared"] !== true) return [`cleared is ${placement["cleared"]}`, ...pending].join(", ");
  if (pending.length > 0) return `it is cleared, and yet ${pending.join(", ")}`;
  for (const key of ["clearedOn", "clearedBy", "evidence"]) {
    const value = placement[key];
    if (typeof value !== "string" || value.trim() === "") return `it is cleared without ${key}`;
  }
  const on = String(placement["clearedOn"]);
  const date = /^\d{4}-\d{2}-\d{2}$/.test(on) ? new Date(`${on}T00:00:00Z`) : undefined;
  if (date === undefined || Number.isNaN(date.valueOf()) || date.toISOString().slice(0, 10) !== on) {
    return `clearedOn is ${JSON.stringify(on)}, which is no date`;
  }
  return date > today ? `clearedOn is ${on}, which is yet to come` : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
