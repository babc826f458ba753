import type { CommandExpansionPart } from "unbash";
import { HOLE } from "../unknown.ts";
import type { Choices } from "./choices.ts";

/** One assignment. It may give one of several values (a `for` list), each a list because of arrays. */
export interface Assigned {
  readonly append: boolean;
  readonly array: boolean;
  values(reading: Reading): readonly (readonly string[])[];
}

/** What words are expanded with while a command is read once. */
export interface Reading {
  /** Assignments of the script by name; each inner list starts with an assignment that appends go on to. */
  readonly variables: ReadonlyMap<string, readonly (readonly Assigned[])[]>;
  /** Parameters of the function that is read; undefined: as the script was called, or by `set --`. */
  readonly parameters: readonly string[] | undefined;
  /** Some `shift` may have moved the parameters. */
  readonly shifts: boolean;
  readonly choices: Choices;
  /** While an assignment is read, its own name means the assignments before it. */
  readonly limits: Map<string, number>;
  /** How many substitutions this one stands in. */
  readonly depth: number;
  /** Steps left; with none, variables are unknown. Keeps a script that doubles its variables cheap. */
  readonly budget: { steps: number };
  /** What a substitution prints, where that is known. */
  output(part: CommandExpansionPart, reading: Reading): string | undefined;
}

/** The values of something that nobody knows. */
export const UNKNOWN_VALUES: readonly string[] = [HOLE];

/** Each step pays for 64 characters: a text that doubles with each variable soon costs what is left. */
export function paid(values: readonly string[], reading: Reading): readonly string[] {
  for (const value of values) reading.budget.steps -= 1 + (value.length >> 6);
  return reading.budget.steps < 0 ? UNKNOWN_VALUES : values;
}
