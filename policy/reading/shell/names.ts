import {
  type CompoundCommand,
  type Function as FunctionNode,
  forEachChild,
  type SyntaxNode,
  type Word,
} from "unbash";
import { assignedBy, assignmentsOf, assignmentWord, DECLARES } from "./assignments.ts";
import type { Assigned, Reading } from "./expansion/reading.ts";
import { expandText, expandWord } from "./expansion/words.ts";
import { HOLE } from "./unknown.ts";

/** What a script gives names to. */
export interface Names {
  readonly variables: Map<string, Assigned[][]>;
  readonly functions: Map<string, FunctionBody[]>;
  readonly aliases: Map<string, string>;
  /** Substitutions that are too much to read: each one inside another is parsed again. */
  readonly unread: Set<SyntaxNode>;
  /** Characters of substitutions that may still be read. */
  room: number;
  /** Some `shift` moves the parameters. */
  shifts: boolean;
}

export type FunctionBody = CompoundCommand | FunctionNode["body"];

export const noNames = (): Names => ({
  variables: new Map(),
  functions: new Map(),
  aliases: new Map(),
  unread: new Set(),
  room: 4 * 2 ** 20,
  shifts: false,
});

/** Nodes with a script in them that is parsed when it is looked at. */
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
      if (names.room < 0) {
        names.unread.add(node);
        continue;
      }
    }
    addNamesOf(node, names);
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => {
      children.push(child);
    });
    // The last in is the next out: children are taken in the order of the text.
    for (const child of children.reverse()) waiting.push(child);
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
      const { wordlist } = node;
      const items = (reading: Reading) =>
        wordlist === undefined
          ? (reading.parameters ?? [HOLE])
          : wordlist.flatMap((word) => expandWord(word, reading));
      const values: Assigned["values"] = (reading) => items(reading).map((item) => [item]);
      add(names, node.name.value, { append: false, array: false, values });
      return;
    }
    case "ParameterExpansion": {
      const { operation } = node;
      if (operation?.type === "Default" && operation.operator.includes("="))
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

type CommandNode = Extract<SyntaxNode, { type: "Command" }>;

function addNamesOfCommand(node: CommandNode, names: Names): void {
  const program = node.name?.value ?? "";
  const words = node.args.filter((each) => each.type === "Word");
  // `a=b program` sets `a` for the program alone.
  if (program === "" || DECLARES.test(program)) {
    // A reference, a number, a change of case: the value is not what was assigned.
    const changed = program !== "export" && words.some((word) => /^-[a-zA-Z]*[nilu]/.test(word.text));
    for (const each of assignmentsOf(node)) add(names, each.name, changed ? UNTOLD : assignedBy(each));
    return;
  }
  switch (program) {
    case "read":
    case "mapfile":
    case "readarray":
    case "getopts":
    case "unset":
    case "let":
      for (const word of words) {
        const name = /^[A-Za-z_]\w*/.exec(word.value)?.[0];
        if (name !== undefined) add(names, name);
      }
      return;
    case "printf":
      if (words[0]?.value === "-v") add(names, words[1]?.value ?? "");
      return;
    case "shift":
      names.shifts = true;
      return;
    case "set":
      addParameters(node, words, names);
      return;
    case "alias":
      for (const each of node.args) {
        if (each.type === "Assignment")
          names.aliases.set(each.name, each.value.type === "Word" ? each.value.value : "");
        else {
          const [, name, text] = /^([^=\s]+)=([\s\S]*)$/.exec(each.value) ?? [];
          if (name !== undefined && text !== undefined) names.aliases.set(name, text);
        }
      }
      return;
    default:
  }
}

/** `set -- a b` assigns the positional parameters. */
function addParameters(node: CommandNode, words: readonly Word[], names: Names): void {
  const mark = words.find((word) => word.text === "--");
  if (mark === undefined) return;
  const given = node.args.slice(node.args.indexOf(mark) + 1);
  const values: Assigned["values"] = (reading) => [
    given.flatMap((each) =>
      each.type === "Word" ? expandWord(each, reading) : [assignmentWord(each, reading)],
    ),
  ];
  add(names, "@", { append: false, array: true, values });
}

const scalar = (read: (reading: Reading) => string): Assigned => ({
  append: false,
  array: false,
  values: (reading) => [[read(reading)]],
});

/** Assigned by something that does not tell the value. */
const UNTOLD = scalar(() => HOLE);

function add(names: Names, name: string, assigned: Assigned = UNTOLD): void {
  const runs = names.variables.get(name);
  const last = runs?.at(-1);
  if (runs === undefined) {
    // What is appended to something that came from elsewhere.
    const unset: Assigned[] = assigned.append && !assigned.array ? [UNTOLD] : [];
    names.variables.set(name, [[...unset, assigned]]);
  } else if (assigned.append && last !== undefined) last.push(assigned);
  else runs.push([assigned]);
}
