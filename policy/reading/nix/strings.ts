import type { Nix, NixOf } from "./syntax.ts";
import type { Tokens } from "./tokens.ts";

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
/** A backslash and the character after it. */
const escaped = (character: string): string => ESCAPES[character] ?? character;

/** A string whose opening quotes were taken. `interpolation` reads what stands after `${`, with the closing brace. */
export function readString(tokens: Tokens, quotes: string, interpolation: () => Nix): NixOf<"string"> {
  const { text } = tokens;
  const indented = quotes === "''";
  const plain = indented ? /[^'$]+/y : /[^"\\$]+/y;
  const parts: (string | Nix)[] = [];
  // What is escaped is no interpolation.
  let literal = "";
  const flush = (): void => {
    if (literal !== "") parts.push(literal);
    literal = "";
  };
  let { place } = tokens;
  while (place < text.length) {
    plain.lastIndex = place;
    if (text.startsWith(quotes, place)) {
      const next = indented ? text.charAt(place + 2) : "";
      // An indented string does not end where its quotes are followed by one of these.
      if (next === "'") literal += "''";
      else if (next === "$") literal += "$";
      else if (next === "\\") literal += escaped(text.charAt(place + 3));
      else break;
      place += next === "\\" ? 4 : 3;
    } else if (plain.test(text)) {
      literal += text.slice(place, plain.lastIndex);
      place = plain.lastIndex;
    } else if (text.startsWith("${", place)) {
      flush();
      tokens.goTo(place + 2);
      parts.push(interpolation());
      place = tokens.place;
    } else if (text.startsWith("$$", place)) {
      literal += "$$";
      place += 2;
    } else if (!indented && text[place] === "\\") {
      literal += escaped(text.charAt(place + 1));
      place += 2;
    } else {
      literal += text.charAt(place);
      place += 1;
    }
  }
  flush();
  tokens.goTo(Math.min(place + quotes.length, text.length));
  return { kind: "string", parts: indented ? dedent(parts) : parts };
}

/**
 * Takes the indentation off an indented string: as many blanks as all of its lines begin with. An interpolation is
 * something that stands in a line. A first line of blanks goes, and the blanks of a last one.
 */
function dedent<Part>(parts: readonly (string | Part)[]): (string | Part)[] {
  let least = Number.POSITIVE_INFINITY;
  let blanks: number | undefined = 0;
  for (const part of parts) {
    if (typeof part !== "string") {
      if (blanks !== undefined) least = Math.min(least, blanks);
      blanks = undefined;
      continue;
    }
    for (const character of part) {
      if (character === "\n") blanks = 0;
      else if (blanks === undefined) continue;
      else if (character === " ") blanks += 1;
      else {
        least = Math.min(least, blanks);
        blanks = undefined;
      }
    }
  }
  let atStart = true;
  const lines = parts.map((part, index) => {
    if (typeof part !== "string") {
      atStart = false;
      return part;
    }
    const cut = part.split("\n").map((line, number) => {
      const begins = number > 0 || atStart;
      if (!begins) return line;
      const indent = /^ */.exec(line)?.[0].length ?? 0;
      return line.slice(Math.min(indent, least));
    });
    atStart = false;
    if (index === 0 && cut.length > 1 && /^ *$/.test(cut[0] ?? "")) cut.shift();
    if (index === parts.length - 1 && cut.length > 1 && /^ *$/.test(cut.at(-1) ?? ""))
      cut[cut.length - 1] = "";
    return cut.join("\n");
  });
  return lines;
}
