import { parse, type Word, type WordPart } from "unbash";
import { HOLE } from "../unknown.ts";
import { expandBraces } from "./braces.ts";
import { Fields } from "./fields.ts";
import { expandParameter } from "./parameters.ts";
import { paid, type Reading } from "./reading.ts";
import { elements, variableValue } from "./variables.ts";

/** Pairs of braces in a word. */
const BRACES_MOST = 4;

/** The words that an argument becomes. `HOLE` stands in them for what is not known. */
export function expandWord(word: Word, reading: Reading, braces = 0): readonly string[] {
  if (word.parts === undefined) return [word.value];
  const sources = braces < BRACES_MOST ? expandBraces(word) : undefined;
  if (sources !== undefined) {
    return sources.flatMap((source) => {
      reading.budget.steps -= 1 + (word.text.length >> 6);
      const made = reading.budget.steps < 0 ? undefined : parsedWord(source);
      return made === undefined ? [HOLE] : expandWord(made, reading, braces + 1);
    });
  }
  const fields = new Fields();
  // A pattern without a slash may be meant for a file with a telling name; a path or an address is worth reading.
  const literal = word.text.includes("/");
  for (const part of word.parts) {
    if (part.type === "Glob" && literal) fields.add(part.value);
    else addPart(part, false, fields, reading);
  }
  fields.end();
  return fields.done;
}

/** As one text: an assigned value, the target of a redirection, a here-string. */
export const expandText = (word: Word, reading: Reading): string =>
  word.parts === undefined ? word.value : expandParts(word.parts, reading);

/** As one text: the body of a here-document. */
export function expandParts(parts: readonly WordPart[], reading: Reading): string {
  const fields = new Fields();
  for (const part of parts) addPart(part, true, fields, reading);
  fields.end();
  return fields.done.join(" ");
}

function parsedWord(source: string): Word | undefined {
  const command = parse(`: ${source}`).commands[0]?.command;
  const word = command?.type === "Command" ? command.suffix[0] : undefined;
  return word?.type === "Word" ? word : undefined;
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
      const { values, many } = expandParameter(part, reading, (word) => expandText(word, reading));
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
  }
}

/** The values of an expansion: `many` are words of their own even in quotes. */
function addValues(
  values: readonly string[],
  many: boolean,
  quoted: boolean,
  into: Fields,
  reading: Reading,
): void {
  const separators = quoted ? "" : variableValue("IFS", reading);
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
