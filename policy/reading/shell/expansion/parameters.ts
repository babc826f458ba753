import type { ParameterExpansionPart, Word } from "unbash";
import { HOLE } from "../unknown.ts";
import { type Reading, UNKNOWN_VALUES } from "./reading.ts";
import { elements } from "./variables.ts";

interface Expanded {
  readonly values: readonly string[];
  /** Several words even in quotes, as `"$@"` gives. */
  readonly many: boolean;
}
/** How words inside of the braces are expanded. */
type ExpandText = (word: Word) => string;

/** Parameter expansion, `${…}`, by POSIX and what bash adds. `HOLE` stands in the values for what is not known. */
export function expandParameter(
  part: ParameterExpansionPart,
  reading: Reading,
  expandText: ExpandText,
): Expanded {
  const index = part.index === undefined ? undefined : expandText(part.index);
  const all = part.parameter === "@" || part.parameter === "*" || index === "@" || index === "*";
  const many = all && part.parameter !== "*" && index !== "*";
  let values = elements(part.parameter, reading);
  // A length.
  if (part.prefix === "#") return { values: UNKNOWN_VALUES, many: false };
  if (part.prefix === "!") {
    const name = values[0] ?? HOLE;
    values = name.includes(HOLE) || index !== undefined ? UNKNOWN_VALUES : elements(name, reading);
  } else if (!all) {
    const position = index === undefined ? 0 : integer(index);
    values =
      position === undefined ? UNKNOWN_VALUES : [values[position] ?? (values.includes(HOLE) ? HOLE : "")];
  }
  return part.operation?.type === "Default"
    ? { values: withDefault(part, part.operation, values, reading, expandText), many }
    : { values: values.map((value) => operated(part.operation, value, expandText)), many };
}

type Operation = NonNullable<ParameterExpansionPart["operation"]>;

/** `${x:-a}`, `${x:=a}`, `${x:+a}`, `${x:?a}`: of an unknown variable both outcomes are possible. */
function withDefault(
  part: ParameterExpansionPart,
  { operator, operand }: Extract<Operation, { type: "Default" }>,
  values: readonly string[],
  reading: Reading,
  expandText: ExpandText,
): readonly string[] {
  const unknown = values.some((value) => value.includes(HOLE));
  const unset = values.every((value) => value === "");
  const choice = unknown ? reading.choices.pick(`default ${part.pos} ${part.text}`, 2) : Number(unset);
  if (choice === undefined || operator.endsWith("?")) return unknown ? UNKNOWN_VALUES : values;
  if (operator.endsWith("+")) return [choice === 0 ? expandText(operand) : ""];
  return choice === 0 ? values : [expandText(operand)];
}

/** `${x#a}`, `${x/a/b}`, `${x:1:2}`, `${x^^}` where no pattern needs to be matched. */
function operated(operation: Operation | undefined, value: string, expandText: ExpandText): string {
  if (operation === undefined) return value;
  if (value.includes(HOLE)) return HOLE;
  const plain = (pattern: Word | undefined): string | undefined => {
    const text = pattern === undefined ? "" : expandText(pattern);
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
      const replacement = expandText(operation.replacement);
      if (pattern === undefined || pattern === "") return HOLE;
      if (operation.operator === "/") return value.replace(pattern, () => replacement);
      if (operation.operator === "//") return value.replaceAll(pattern, () => replacement);
      return HOLE;
    }
    case "Slice": {
      const from = integer(expandText(operation.offset));
      const length = operation.length === undefined ? value.length : integer(expandText(operation.length));
      if (from === undefined || length === undefined) return HOLE;
      return value.slice(from).slice(0, length);
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

const integer = (text: string): number | undefined =>
  /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
