import type { CommandExpansionPart, ParameterExpansionPart, ParsedScript, Word, WordPart } from "unbash";
import type { Choices } from "./choices.ts";
import { HOLE } from "./unknown.ts";

/** One assignment. It may give one of several values (a `for` list), each a list because of arrays. */
export interface Assigned {
  readonly append: boolean;
  readonly array: boolean;
  values(reading: Reading): readonly (readonly string[])[];
}

/** What words are expanded with. */
export interface Reading {
  /** Assignments of the script by name; each inner list starts with an assignment that appends go on to. */
  readonly variables: ReadonlyMap<string, readonly (readonly Assigned[])[]>;
  /** Parameters of the function that is read; undefined: as the script was called, or by `set --`. */
  readonly parameters: readonly string[] | undefined;
  readonly shifts: boolean;
  readonly choices: Choices;
  /** While an assignment is read, its own name means the assignments before it. */
  readonly limits: Map<string, number>;
  /** Steps left; with none, variables are unknown. Keeps a script that doubles its variables cheap. */
  /** How many substitutions this one stands in. */
  readonly depth: number;
  readonly budget: { steps: number };
  parse(source: string): ParsedScript;
  /** What a substitution prints, where that is known. */
  output(part: CommandExpansionPart, reading: Reading): string | undefined;
}

const DEEPEST = 24;
const WIDEST = 64;
const BRACED_LONGEST = 1024;
const nothing: readonly string[] = [HOLE];

/** Each step pays for 64 characters: a text that doubles with each variable soon costs what is left. */
function paid(values: readonly string[], reading: Reading): readonly string[] {
  for (const value of values) reading.budget.steps -= 1 + (value.length >> 6);
  return reading.budget.steps < 0 ? nothing : values;
}

function parameters(reading: Reading): readonly string[] {
  const given = reading.parameters ?? variable("@", reading);
  if (!reading.shifts || given.length < 2 || reading.parameters === undefined) return given;
  const place = [...reading.limits.keys()].join(" ");
  const shift = reading.choices.pick(`shift ${place}`, Math.min(given.length, 8));
  return shift === undefined ? nothing : given.slice(shift);
}

function variable(name: string, reading: Reading): readonly string[] {
  const assigned = reading.variables.get(name) ?? [];
  const limit = reading.limits.get(name) ?? assigned.length;
  reading.budget.steps -= 1;
  if (limit === 0) return name === "IFS" ? [" \t\n"] : nothing;
  if (reading.budget.steps < 0 || reading.limits.size > DEEPEST) return nothing;
  const index = reading.choices.pick(`${name} ${limit}`, limit);
  const run = index === undefined ? undefined : assigned[index];
  if (index === undefined || run === undefined) return nothing;
  const before = reading.limits.get(name);
  reading.limits.set(name, index);
  let value: readonly string[] | undefined;
  run.forEach((step, order) => {
    const values = step.values(reading);
    const chosen = values[reading.choices.pick(`${name} ${index} ${order}`, values.length) ?? -1] ?? nothing;
    if (!step.append) value = chosen;
    else if (step.array) value = [...(value ?? []), ...chosen];
    else value = [(value?.[0] ?? HOLE) + (chosen[0] ?? ""), ...(value ?? []).slice(1)];
  });
  if (before === undefined) reading.limits.delete(name);
  else reading.limits.set(name, before);
  return paid(value ?? nothing, reading);
}

/** All elements of a parameter: one of a scalar, as many as there are of `@` or an array. */
function elements(name: string, reading: Reading): readonly string[] {
  if (name === "@" || name === "*") return parameters(reading);
  if (/^[1-9][0-9]*$/.test(name)) {
    const given = parameters(reading);
    const value = given[Number(name) - 1];
    return given.includes(HOLE) && value === undefined ? nothing : [value ?? ""];
  }
  return /^[A-Za-z_]/.test(name) ? variable(name, reading) : nothing;
}

const integer = (text: string): number | undefined =>
  /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;

/** `${x#a}`, `${x/a/b}`, `${x:1:2}`, `${x^^}` where no pattern needs to be matched. */
function operated(part: ParameterExpansionPart, value: string, reading: Reading): string {
  const operation = part.operation;
  if (operation === undefined) return value;
  if (value.includes(HOLE)) return HOLE;
  const plain = (word: Word | undefined): string | undefined => {
    const text = word === undefined ? "" : expandText(word, reading);
    return text.includes(HOLE) || /[*?[\\]/.test(text) ? undefined : text;
  };
  switch (operation.type) {
    case "Remove": {
      const pattern = plain(operation.operand);
      if (pattern === undefined) return HOLE;
      if (operation.operator.startsWith("#"))
        return value.startsWith(pattern) ? value.slice(pattern.length) : value;
      return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value;
    }
    case "Replace": {
      const pattern = plain(operation.pattern);
      const replacement = expandText(operation.replacement, reading);
      if (pattern === undefined || pattern === "") return HOLE;
      if (operation.operator === "/") return value.replace(pattern, () => replacement);
      if (operation.operator === "//") return value.replaceAll(pattern, () => replacement);
      return HOLE;
    }
    case "Slice": {
      const from = integer(expandText(operation.offset, reading));
      const length =
        operation.length === undefined ? undefined : integer(expandText(operation.length, reading));
      if (from === undefined || (operation.length !== undefined && length === undefined)) return HOLE;
      const rest = value.slice(from);
      return length === undefined ? rest : rest.slice(0, length);
    }
    case "CaseModification": {
      if (operation.operand !== undefined) return HOLE;
      const change = (text: string) =>
        operation.operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase();
      return operation.operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
    }
    default:
      return HOLE;
  }
}

/** Value of `${…}` and whether it stands for several words even in quotes. */
function parameter(
  part: ParameterExpansionPart,
  reading: Reading,
): { values: readonly string[]; many: boolean } {
  const index = part.index === undefined ? undefined : expandText(part.index, reading);
  const all = part.parameter === "@" || part.parameter === "*" || index === "@" || index === "*";
  const many = all && part.parameter !== "*" && index !== "*";
  let values = elements(part.parameter, reading);
  if (part.prefix === "#") return { values: nothing, many: false };
  if (part.prefix === "!") {
    const name = values[0] ?? HOLE;
    values = name.includes(HOLE) || index !== undefined ? nothing : elements(name, reading);
  } else if (!all) {
    const position = index === undefined ? 0 : integer(index);
    values = position === undefined ? nothing : [values[position] ?? (values.includes(HOLE) ? HOLE : "")];
  }
  const operation = part.operation;
  if (operation?.type !== "Default")
    return { values: values.map((value) => operated(part, value, reading)), many };
  const unknown = values.some((value) => value.includes(HOLE));
  const empty = values.every((value) => value === "");
  const operand = () => [expandText(operation.operand, reading)];
  const kind = operation.operator.replace(":", "");
  const choice = unknown ? reading.choices.pick(`default ${part.pos} ${part.text}`, 2) : empty ? 1 : 0;
  if (choice === undefined || kind === "?") return { values: unknown ? nothing : values, many };
  if (kind === "+") return { values: choice === 0 ? operand() : [""], many };
  return { values: choice === 0 ? values : operand(), many };
}

class Fields {
  readonly done: string[] = [];
  private current: string | undefined;

  add(text: string): void {
    this.current = (this.current ?? "") + text;
  }
  end(): void {
    if (this.current !== undefined) this.done.push(this.current);
    this.current = undefined;
  }
  /** Text of an unquoted expansion: blanks end words. */
  split(text: string, separators: string): void {
    if (separators.includes(HOLE)) {
      this.add(HOLE);
      return;
    }
    let from = 0;
    for (let at = 0; at <= text.length; at += 1) {
      if (at < text.length && !separators.includes(text.charAt(at))) continue;
      if (at > from) this.add(text.slice(from, at));
      if (at < text.length) this.end();
      from = at + 1;
    }
  }
}

function addValues(
  values: readonly string[],
  many: boolean,
  quoted: boolean,
  into: Fields,
  reading: Reading,
): void {
  const separators = quoted ? "" : (variable("IFS", reading)[0] ?? "");
  const shown = paid(values, reading);
  if (quoted && !many) {
    into.add(shown.join(" "));
    return;
  }
  shown.forEach((value, index) => {
    if (index > 0) into.end();
    if (quoted) into.add(value);
    else into.split(value, separators);
  });
}

function addPart(part: WordPart, quoted: boolean, into: Fields, reading: Reading): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      into.add(part.value);
      return;
    case "DoubleQuoted":
    case "LocaleString": {
      // `"$@"` without parameters is no word at all.
      if (part.parts.length !== 1 || !/^\$(@|\{.*\[@\]\}$|\{@)/.test(part.parts[0]?.text ?? "")) into.add("");
      for (const child of part.parts) addPart(child, true, into, reading);
      return;
    }
    case "SimpleExpansion": {
      const name = part.text.slice(1);
      const values = elements(name, reading);
      const all = name === "@" || name === "*";
      addValues(all ? values : values.slice(0, 1), name === "@", quoted, into, reading);
      return;
    }
    case "ParameterExpansion": {
      const { values, many } = parameter(part, reading);
      addValues(values, many, quoted, into, reading);
      return;
    }
    case "CommandExpansion": {
      const output = reading.output(part, reading);
      addValues([output?.replace(/\n+$/, "") ?? HOLE], false, quoted, into, reading);
      return;
    }
    case "Glob":
      into.add(quoted ? part.value : HOLE);
      return;
    case "BraceExpansion":
      into.add(quoted ? part.text : HOLE);
      return;
    default:
      into.add(HOLE);
      return;
  }
}

/** The members of `{a,b}` or `{1..3}`; undefined for what is neither, or too long. */
function braceMembers(text: string): readonly string[] | undefined {
  const inner = text.slice(1, -1);
  const range = /^(\d{1,5})\.\.(\d{1,5})$/.exec(inner);
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    return Math.abs(to - from) >= WIDEST
      ? undefined
      : Array.from({ length: Math.abs(to - from) + 1 }, (_, step) => `${from + (to > from ? step : -step)}`);
  }
  const members: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const letter = inner.charAt(at);
    if (/["'`$\\]/.test(letter)) return undefined;
    if (letter === "{") depth += 1;
    else if (letter === "}") depth -= 1;
    else if (letter === "," && depth === 0) {
      members.push(inner.slice(from, at));
      from = at + 1;
    }
  }
  return members.length === 0 || members.length >= WIDEST ? undefined : [...members, inner.slice(from)];
}

function expandBraces(word: Word, reading: Reading, depth: number): readonly string[] | undefined {
  const part = word.parts?.find((each) => each.type === "BraceExpansion");
  const members =
    part === undefined || depth > 3 || word.text.length > BRACED_LONGEST
      ? undefined
      : braceMembers(part.text);
  if (part === undefined || members === undefined) return undefined;
  const [before, after] = [word.text.slice(0, part.pos - word.pos), word.text.slice(part.end - word.pos)];
  return members.flatMap((member) => {
    reading.budget.steps -= 1 + Math.floor(word.text.length / 64);
    if (reading.budget.steps < 0) return [HOLE];
    const command = reading.parse(`: ${before}${member}${after}`).commands[0]?.command;
    const made = command?.type === "Command" ? command.suffix[0] : undefined;
    return made?.type === "Word" ? expandWord(made, reading, depth + 1) : [HOLE];
  });
}

/** The words that an argument becomes. `HOLE` stands in them for what is not known. */
export function expandWord(word: Word, reading: Reading, depth = 0): readonly string[] {
  const parts = word.parts;
  if (parts === undefined) return [word.value];
  const braces = expandBraces(word, reading, depth);
  if (braces !== undefined) return braces;
  const fields = new Fields();
  // A pattern without a slash may be meant for a file with a telling name; a path or an address is worth reading.
  const literal = word.text.includes("/");
  for (const part of parts) {
    if (part.type === "Glob" && literal) fields.add(part.value);
    else addPart(part, false, fields, reading);
  }
  fields.end();
  return fields.done;
}

/** As one text: an assigned value, the target of a redirection, a here-string. */
export function expandText(word: Word, reading: Reading): string {
  return word.parts === undefined ? word.value : expandParts(word.parts, reading);
}

/** As one text: the body of a here-document. */
export function expandParts(parts: readonly WordPart[], reading: Reading): string {
  const fields = new Fields();
  for (const part of parts) addPart(part, true, fields, reading);
  fields.end();
  return fields.done.join(" ");
}

/** What a variable stands for in this reading, `HOLE` where nobody knows. */
export const variableValue = (name: string, reading: Reading): string => elements(name, reading)[0] ?? "";
