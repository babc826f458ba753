/** What is kept of a Nix expression: enough to find settings and texts in it, not to evaluate it. */
export type Nix =
  | { readonly kind: "string"; readonly parts: readonly (string | Nix)[] }
  | { readonly kind: "scalar"; readonly value: string | number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "set"; readonly binds: readonly Bind[]; readonly recursive: boolean }
  | { readonly kind: "list"; readonly items: readonly Nix[] }
  | { readonly kind: "let"; readonly binds: readonly Bind[]; readonly body: Nix }
  | { readonly kind: "select"; readonly from: Nix; readonly path: readonly Key[]; readonly otherwise?: Nix }
  | { readonly kind: "apply"; readonly fn: Nix; readonly args: readonly Nix[] }
  | { readonly kind: "join"; readonly op: "+" | "++" | "//"; readonly items: readonly Nix[] }
  | { readonly kind: "either"; readonly items: readonly Nix[] }
  | {
      readonly kind: "function";
      readonly names: readonly string[];
      readonly defaults: readonly Bind[];
      /** Its head ends in `...`: so do those of modules and of a flake's outputs. */
      readonly open: boolean;
      readonly body: Nix;
    }
  | { readonly kind: "unknown"; readonly items: readonly Nix[] };

/** An attribute's name; an expression where it is computed. */
export type Key = string | Nix;
export interface Bind {
  readonly path: readonly Key[];
  readonly value: Nix;
  /** `inherit x`: the name is looked up outside of the set that it stands in. */
  readonly inherited?: boolean;
}

export interface Token {
  readonly kind: "name" | "number" | "path" | "uri" | "mark" | "end";
  readonly text: string;
  readonly end: number;
}

const BLANK = /[ \t\r\n]+|#[^\n]*/y;
const TOKENS: ReadonlyArray<readonly [Token["kind"], RegExp]> = [
  ["path", /~?[A-Za-z0-9._+-]{0,80}(?:\/[A-Za-z0-9._+-]+)+\/?|<[A-Za-z0-9._+-]+(?:\/[A-Za-z0-9._+-]+)*>/y],
  ["uri", /[A-Za-z][A-Za-z0-9+.-]{0,40}:[A-Za-z0-9%/?:@&=+$,_.!~*'-]+/y],
  ["name", /[A-Za-z_][A-Za-z0-9_'-]*/y],
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["mark", /\.\.\.|\$\{|''|\+\+|\/\/|->|==|!=|<=|>=|&&|\|\||\|>|<\||[\s\S]/uy],
];

/** A look at one character, which is faster than a pattern that fails. */
function mayStart(kind: Token["kind"], code: number): boolean {
  const letter = (code | 32) >= 97 && (code | 32) <= 122;
  const digit = code >= 48 && code <= 57;
  if (kind === "uri") return letter;
  if (kind === "name") return letter || code === 95;
  if (kind === "number") return digit || code === 46;
  return letter || digit || "~./<+-_".includes(String.fromCharCode(code));
}

/** The token at or after a place, blanks and comments left out. Of a string only the opening quotes. */
export function tokenAt(text: string, from: number): Token {
  let start = from;
  for (;;) {
    BLANK.lastIndex = start;
    if (BLANK.test(text)) start = BLANK.lastIndex;
    else if (text.startsWith("/*", start)) {
      const end = text.indexOf("*/", start + 2);
      start = end < 0 ? text.length : end + 2;
    } else break;
  }
  if (start >= text.length) return { kind: "end", text: "", end: text.length };
  const first = text.charCodeAt(start);
  for (const [kind, pattern] of TOKENS) {
    if (kind !== "mark" && !mayStart(kind, first)) continue;
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match !== null) return { kind, text: match[0], end: pattern.lastIndex };
  }
  return { kind: "mark", text: text.charAt(start), end: start + 1 };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
/** A backslash and the character after it. */
export const escaped = (character: string): string => ESCAPES[character] ?? character;

/**
 * Takes the indentation off an indented string: as many blanks as all of its lines begin with. An interpolation is
 * something that stands in a line. A first line of blanks goes, and the blanks of a last one.
 */
export function dedent<Part>(parts: readonly (string | Part)[]): (string | Part)[] {
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
