import type { Assignment, SyntaxNode, Word } from "unbash";
import type { Assigned, Reading } from "./expansion/reading.ts";
import { expandText, expandWord } from "./expansion/words.ts";
import { HOLE } from "./unknown.ts";

/** Commands that assign what their arguments say. */
export const DECLARES = /^(export|readonly|local|declare|typeset)$/;

/** A variable that a command assigns: `a=b`, `export a=b`, `export "a=b"`. */
export interface Given {
  readonly name: string;
  readonly given: Assignment | Word;
  /** It stands before the command's name. */
  readonly prefix: boolean;
}

export function assignmentsOf(node: SyntaxNode): readonly Given[] {
  if (node.type !== "Command") return [];
  const prefix = node.prefix.flatMap((each): Given[] =>
    each.type === "Assignment" ? [{ name: each.name, given: each, prefix: true }] : [],
  );
  if (node.name === undefined || !DECLARES.test(node.name.value)) return prefix;
  const declared = node.args.flatMap((given): Given[] => {
    if (given.type === "Assignment") return [{ name: given.name, given, prefix: false }];
    const name = /^["']?([A-Za-z_]\w*)=/.exec(given.text)?.[1];
    return name === undefined ? [] : [{ name, given, prefix: false }];
  });
  return [...prefix, ...declared];
}

export const isArray = ({ given }: Given): boolean =>
  given.type === "Assignment" && given.value.type === "ArrayValue";

/** The assigned values: one, or the elements of an array. */
export function valuesOf({ name, given }: Given, reading: Reading): readonly string[] {
  if (given.type === "Word") return [expandText(given, reading).slice(name.length + 1)];
  return given.value.type === "ArrayValue"
    ? given.value.elements.flatMap((word) => expandWord(word, reading))
    : [expandText(given.value, reading)];
}

/** What an assignment does to its variable. */
export function assignedBy(each: Given): Assigned {
  const { append = false, index } = each.given.type === "Assignment" ? each.given : {};
  // `a[1]=b`: one more element, as if appended.
  const element = index !== undefined && !isArray(each);
  return {
    append: append || element,
    array: isArray(each) || element,
    values: (reading) => [valuesOf(each, reading)],
  };
}

/** An argument of a command, as `export a=b` has it, as one word. */
export const assignmentWord = ({ name, value }: Assignment, reading: Reading): string =>
  `${name}=${value.type === "Word" ? expandText(value, reading) : HOLE}`;
