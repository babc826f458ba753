import { HOLE } from "../unknown.ts";
import { paid, type Reading, UNKNOWN_VALUES } from "./reading.ts";

/** Variables that are assigned from variables that are assigned from variables. */
const DEEPEST = 24;
/** How far a function's `shift`s may have moved its parameters. */
const SHIFTS_MOST = 8;

/** All elements of a parameter: one of a scalar, as many as there are of `@` or an array. */
export function elements(name: string, reading: Reading): readonly string[] {
  if (name === "@" || name === "*") return positional(reading);
  if (/^[1-9][0-9]*$/.test(name)) {
    const given = positional(reading);
    const value = given[Number(name) - 1];
    return given.includes(HOLE) && value === undefined ? UNKNOWN_VALUES : [value ?? ""];
  }
  return /^[A-Za-z_]/.test(name) ? variable(name, reading) : UNKNOWN_VALUES;
}

/** What a variable stands for in this reading, `HOLE` where nobody knows. */
export const variableValue = (name: string, reading: Reading): string => elements(name, reading)[0] ?? "";

/** The positional parameters. Where there is a `shift`, any number of them may be gone. */
function positional(reading: Reading): readonly string[] {
  if (reading.parameters === undefined) return variable("@", reading);
  const given = reading.parameters;
  if (!reading.shifts || given.length < 2) return given;
  // Each assignment that is read has a place of its own: `m=$1; shift; n=$1`.
  const place = [...reading.limits.keys()].join(" ");
  const shift = reading.choices.pick(`shift ${place}`, Math.min(given.length, SHIFTS_MOST));
  return shift === undefined ? UNKNOWN_VALUES : given.slice(shift);
}

function variable(name: string, reading: Reading): readonly string[] {
  const assigned = reading.variables.get(name) ?? [];
  const before = reading.limits.get(name);
  const limit = before ?? assigned.length;
  reading.budget.steps -= 1;
  if (limit === 0) return name === "IFS" ? [" \t\n"] : UNKNOWN_VALUES;
  if (reading.budget.steps < 0 || reading.limits.size > DEEPEST) return UNKNOWN_VALUES;
  const index = reading.choices.pick(`${name} ${limit}`, limit);
  const run = index === undefined ? undefined : assigned[index];
  if (index === undefined || run === undefined) return UNKNOWN_VALUES;
  reading.limits.set(name, index);
  let value: readonly string[] | undefined;
  run.forEach((step, order) => {
    const values = step.values(reading);
    const choice = reading.choices.pick(`${name} ${index} ${order}`, values.length);
    const chosen = (choice === undefined ? undefined : values[choice]) ?? UNKNOWN_VALUES;
    if (!step.append) value = chosen;
    else if (step.array) value = [...(value ?? []), ...chosen];
    else value = [(value?.[0] ?? HOLE) + (chosen[0] ?? ""), ...(value ?? []).slice(1)];
  });
  if (before === undefined) reading.limits.delete(name);
  else reading.limits.set(name, before);
  return paid(value ?? UNKNOWN_VALUES, reading);
}
