import { type Known, UNKNOWN } from "../content.ts";

/** A line `key=value` of a unit file, in the order of the file. */
export interface UnitEntry {
  /** Empty before the first section. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/**
 * The assignments of a unit file (systemd.syntax(7)). Lines that are neither assignment, section nor comment are passed
 * over, as systemd does. A comment between continued lines does not end the continuation.
 * @param continuation what a backslash at a line's end becomes: systemd puts a space, Quadlet's own parser nothing, so
 * that `Image=x:la\` and `test` on the next line make one word there.
 */
export function unitEntries(text: string, continuation: " " | ""): readonly UnitEntry[] {
  const entries: UnitEntry[] = [];
  let section = "";
  let pending = "";
  const take = (line: string): void => {
    if (line.startsWith("[") && line.endsWith("]")) {
      section = line.slice(1, -1);
      return;
    }
    const equals = line.indexOf("=");
    if (equals > 0) {
      entries.push({ section, key: line.slice(0, equals).trim(), value: line.slice(equals + 1).trim() });
    }
  };
  for (const raw of text.split(/\r\n|[\n\r\0]/)) {
    const line = raw.trim();
    if (line.startsWith("#") || line.startsWith(";")) continue;
    // Only in systemd a backslash may escape the one at the line's end.
    if (continuation === "" ? line.endsWith("\\") : oddBackslashes(line)) {
      pending += line.slice(0, -1) + continuation;
      continue;
    }
    take((pending + line).trim());
    pending = "";
  }
  take(pending.trim());
  return entries;
}

function oddBackslashes(line: string): boolean {
  let start = line.length;
  while (line[start - 1] === "\\") start--;
  return (line.length - start) % 2 === 1;
}

/** What is in force of a key that makes a list: an empty assignment takes back those before it. */
export function assigned(entries: readonly UnitEntry[], section: string, key: string): readonly UnitEntry[] {
  let list: UnitEntry[] = [];
  for (const entry of entries) {
    if (entry.section !== section || entry.key !== key) continue;
    if (entry.value === "") list = [];
    else list.push(entry);
  }
  return list;
}

export interface Word {
  readonly text: string;
  /** As it stood there, with quotes: a bare `;` separates commands, a quoted one does not. */
  readonly raw: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  s: " ",
  "\\": "\\",
  '"': '"',
  "'": "'",
};
const BLANKS = /[ \t\n\r]+/y;
/** Text without a meaning of its own: outside of quotes, and within each kind of them. */
const PLAIN: Readonly<Record<"" | '"' | "'", RegExp>> = {
  "": /[^ \t\n\r"'\\]+/y,
  '"': /[^"\\]+/y,
  "'": /[^'\\]+/y,
};

/**
 * Splits at blanks, with quotes and C escapes taken off (systemd.syntax(7), "Quoting"). What would be an error there is
 * read leniently: an unknown escape stays as it is, an open quote ends with the text.
 */
export function systemdWords(value: string): readonly Word[] {
  const words: Word[] = [];
  let at = run(BLANKS, value, 0).length;
  while (at < value.length) {
    const start = at;
    let text = "";
    let quote: "" | '"' | "'" = "";
    while (at < value.length) {
      const plain = run(PLAIN[quote], value, at);
      text += plain;
      at += plain.length;
      const character = value.charAt(at);
      if (character === "\\") {
        const [piece, length] = escaped(value, at + 1);
        text += piece;
        at += 1 + length;
      } else if (character === '"' || character === "'") {
        quote = quote === "" ? character : "";
        at++;
      } else break;
    }
    words.push({ text, raw: value.slice(start, at) });
    at += run(BLANKS, value, at).length;
  }
  return words;
}

function run(pattern: RegExp, value: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(value)?.[0] ?? "";
}

/** What follows a backslash means, and how long it is. */
function escaped(value: string, at: number): readonly [string, number] {
  const character = value.charAt(at);
  const plain = Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined;
  if (plain !== undefined) return [plain, 1];
  const coded = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/.exec(
    value.slice(at, at + 9),
  );
  if (coded !== null) {
    const [all, byte, short, long, octal] = coded;
    const code = octal !== undefined ? parseInt(octal, 8) : parseInt(byte ?? short ?? long ?? "", 16);
    if (code > 0 && code <= 0x10ffff) return [String.fromCodePoint(code), all.length];
  }
  return [`\\${character}`, character.length];
}

/** Specifiers stay as they are written, since only the machine knows them; `%%` is a percent sign. */
export function withSpecifiers(text: string): string {
  return text.includes("%%") ? text.replaceAll("%%", "%") : text;
}

/** Whether a text has a specifier for what comes after the `@` in the unit's name, which whoever starts it chooses. */
export const isTemplate = (text: string): boolean => /^(?:[^%]|%[^iIjJ])*%[iIjJ]/.test(text);

/** Variables of `Environment=`: several assignments a line, each a word. A name alone is the manager's variable. */
export function environmentWords(
  values: readonly string[],
): readonly (readonly [name: string, value: Known<string>])[] {
  return values.flatMap((value) =>
    systemdWords(value).map(({ text }) => {
      const equals = text.indexOf("=");
      return equals < 0
        ? ([text, UNKNOWN] as const)
        : ([text.slice(0, equals), withSpecifiers(text.slice(equals + 1))] as const);
    }),
  );
}

export type Variables = ReadonlyMap<string, Known<string>>;

/**
 * A word of a command line as systemd starts it (systemd.service(5), "Command lines"): `${NAME}` anywhere, `$NAME` only
 * as a word of its own, which becomes as many words as are in it; `$$` is a dollar sign.
 */
export function expandedWord(word: string, variables: Variables): readonly Known<string>[] {
  if (isTemplate(word)) return [UNKNOWN];
  const text = withSpecifiers(word);
  if (!text.includes("$")) return [text];
  const alone = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1];
  if (alone === undefined) return [expandedText(text, variables)];
  const value = variables.get(alone) ?? UNKNOWN;
  return value === UNKNOWN ? [UNKNOWN] : systemdWords(value).map(({ text: part }) => part);
}

function expandedText(text: string, variables: Variables): Known<string> {
  let unknown = false;
  // No brace or dollar inside the braces: `${${${…` is read in one pass.
  const expanded = text.replace(/\$\$|\$\{([^{}$]*)\}/g, (found, name: string | undefined) => {
    if (name === undefined) return found.slice(1);
    const value = variables.get(name) ?? UNKNOWN;
    if (value === UNKNOWN) unknown = true;
    return value === UNKNOWN ? "" : value;
  });
  return unknown ? UNKNOWN : expanded;
}
