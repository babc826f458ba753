import {
  type Assignment,
  type CompoundCommand,
  type Function as FunctionNode,
  forEachChild,
  type SyntaxNode,
  type Word,
} from "unbash";
import { HOLE } from "./unknown.ts";
import { type Assigned, expandText, expandWord } from "./words.ts";

/** What a script gives names to. */
export interface Names {
  readonly variables: Map<string, Assigned[][]>;
  readonly functions: Map<string, FunctionNode["body"][]>;
  readonly aliases: Map<string, string>;
  /** Substitutions that are too much to read: each one inside another is parsed again. */
  readonly unread: Set<SyntaxNode>;
  /** Characters of substitutions that may still be read. */
  room: number;
  /** Some `shift` moves the parameters. */
  shifts: boolean;
}

export const noNames = (): Names => ({
  variables: new Map(),
  functions: new Map(),
  aliases: new Map(),
  unread: new Set(),
  room: 4 * 2 ** 20,
  shifts: false,
});

export type FunctionBody = CompoundCommand | FunctionNode["body"];

const DECLARES = /^(export|readonly|local|declare|typeset)$/;
const CHANGES = /^(read|mapfile|readarray|getopts|unset|let)$/;

interface Given {
  readonly name: string;
  readonly given: Assignment | Word;
}

/** The variables that a command of a script assigns: `a=b`, `export a=b`, `export "a=b"`. */
export function assignmentsOf(node: SyntaxNode): readonly Given[] {
  if (node.type !== "Command") return [];
  const prefix = node.prefix.flatMap((each): Given[] =>
    each.type === "Assignment" ? [{ name: each.name, given: each }] : [],
  );
  if (node.name === undefined || !DECLARES.test(node.name.value)) return prefix;
  const declared = node.args.flatMap((given): Given[] => {
    if (given.type === "Assignment") return [{ name: given.name, given }];
    const name = /^["']?([A-Za-z_]\w*)=/.exec(given.text)?.[1];
    return name === undefined ? [] : [{ name, given }];
  });
  return [...prefix, ...declared];
}

const NESTS: ReadonlySet<SyntaxNode["type"]> = new Set([
  "CommandExpansion",
  "ProcessSubstitution",
  "ArithmeticExpansion",
  "ParameterExpansion",
]);

/** Adds the names that a script and everything in it gives. Without recursion: scripts nest as deep as they like. */
export function addNames(script: SyntaxNode, names: Names): void {
  const waiting: SyntaxNode[] = [script];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (NESTS.has(node.type) && "text" in node) {
      names.room -= node.text.length;
      if (names.room < 0) names.unread.add(node);
      if (names.room < 0) continue;
    }
    addNamesOf(node, names);
    const first = waiting.length;
    forEachChild(node, (child) => {
      waiting.push(child);
    });
    // The last in is the next out: children are taken in the order of the text.
    for (let low = first, high = waiting.length - 1; low < high; low += 1, high -= 1) {
      const [one, other] = [waiting[low], waiting[high]];
      if (one !== undefined && other !== undefined) [waiting[low], waiting[high]] = [other, one];
    }
  }
}

function addNamesOf(node: SyntaxNode, names: Names): void {
  switch (node.type) {
    case "Function": {
      const bodies = names.functions.get(node.name.value);
      if (bodies === undefined) names.functions.set(node.name.value, [node.body]);
      else bodies.push(node.body);
      return;
    }
    case "For":
    case "Select": {
      const { wordlist, name } = node;
      add(names, name.value, {
        append: false,
        array: false,
        values: (reading) =>
          wordlist === undefined
            ? (reading.parameters ?? [HOLE]).map((value) => [value])
            : wordlist.flatMap((word) => expandWord(word, reading)).map((value) => [value]),
      });
      return;
    }
    case "ParameterExpansion": {
      const operation = node.operation;
      if (operation?.type !== "Default" || !operation.operator.includes("=")) return;
      add(
        names,
        node.parameter,
        scalar((reading) => expandText(operation.operand, reading)),
      );
      return;
    }
    case "ArithmeticBinary":
      if (/(^|[^=!<>])=$|<<=|>>=/.test(node.operator) && node.left.type === "ArithmeticWord")
        add(names, node.left.value);
      return;
    case "ArithmeticUnary":
      if (node.operand.type === "ArithmeticWord") add(names, node.operand.value);
      return;
    case "Command":
      addNamesOfCommand(node, names);
      return;
    default:
  }
}

function addNamesOfCommand(node: Extract<SyntaxNode, { type: "Command" }>, names: Names): void {
  const program = node.name?.value ?? "";
  const words = node.args.filter((each) => each.type === "Word");
  // `a=b program` sets `a` for the program alone.
  if (program === "" || DECLARES.test(program)) {
    // A reference, a number, a change of case: the value is not what was assigned.
    const strange = words.some((word) => /^-[a-zA-Z]*[nilu]/.test(word.text)) && program !== "export";
    for (const { name, given } of assignmentsOf(node)) addAssigned(names, name, strange ? undefined : given);
  } else if (CHANGES.test(program)) {
    for (const word of words) {
      const name = /^[A-Za-z_]\w*/.exec(word.value)?.[0];
      if (name !== undefined) add(names, name);
    }
  } else if (program === "printf" && words[0]?.value === "-v") {
    add(names, words[1]?.value ?? "");
  } else if (program === "shift") {
    names.shifts = true;
  } else if (program === "set") {
    const mark = words.find((word) => word.text === "--");
    if (mark === undefined) return;
    const given = node.args.slice(node.args.indexOf(mark) + 1);
    add(names, "@", {
      append: false,
      array: true,
      values: (reading) => [
        given.flatMap((each) =>
          each.type === "Word" ? expandWord(each, reading) : [`${each.name}=${assignedText(each, reading)}`],
        ),
      ],
    });
  } else if (program === "alias") {
    for (const each of node.args) {
      const text = each.type === "Assignment" ? plain(each.value) : plain(each);
      const match = each.type === "Assignment" ? undefined : /^([^=\s]+)=([\s\S]*)$/.exec(text);
      if (each.type === "Assignment") names.aliases.set(each.name, text);
      else if (match !== null && match !== undefined) names.aliases.set(match[1] ?? "", match[2] ?? "");
    }
  }
}

/** A word without what is expanded in it. */
function plain(word: Assignment["value"]): string {
  if (word.type === "ArrayValue") return "";
  return word.value;
}

function addAssigned(names: Names, name: string, given: Assignment | Word | undefined): void {
  if (given === undefined) {
    add(names, name);
    return;
  }
  if (given.type === "Word") {
    add(
      names,
      name,
      scalar((reading) => expandText(given, reading).slice(name.length + 1)),
    );
    return;
  }
  const { value, append = false, index } = given;
  if (value.type === "ArrayValue") {
    const values: Assigned["values"] = (reading) => [
      value.elements.flatMap((word) => expandWord(word, reading)),
    ];
    add(names, name, { append, array: true, values });
    return;
  }
  // `a[1]=b`: one more element, as if appended.
  if (index !== undefined) {
    add(names, name, {
      append: true,
      array: true,
      values: (reading) => [[expandText(value, reading)]],
    });
    return;
  }
  add(names, name, { append, array: false, values: (reading) => [[expandText(value, reading)]] });
}

/** An assigned value as one text. */
export function assignedText({ value }: Assignment, reading: Parameters<typeof expandText>[1]): string {
  return value.type === "Word" ? expandText(value, reading) : HOLE;
}

const scalar = (read: (reading: Parameters<typeof expandText>[1]) => string): Assigned => ({
  append: false,
  array: false,
  values: (reading) => [[read(reading)]],
});

function add(names: Names, name: string, assigned: Assigned = scalar(() => HOLE)): void {
  const runs = names.variables.get(name);
  const last = runs?.at(-1);
  if (runs === undefined) {
    // What is appended to something that came from elsewhere.
    const unset: Assigned[] = assigned.append && !assigned.array ? [scalar(() => HOLE)] : [];
    names.variables.set(name, [[...unset, assigned]]);
  } else if (assigned.append && last !== undefined) last.push(assigned);
  else runs.push([assigned]);
}
