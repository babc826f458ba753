/** A token, and where the next one may start. */
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
function tokenAt(text: string, from: number): Token {
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

/** The tokens of a text, one after the other. */
export class Tokens {
  readonly text: string;
  #place = 0;
  #ahead: Token | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Where the next token is looked for. */
  get place(): number {
    return this.#place;
  }

  goTo(place: number): void {
    this.#place = place;
    this.#ahead = undefined;
  }

  peek(): Token {
    this.#ahead ??= tokenAt(this.text, this.#place);
    return this.#ahead;
  }

  /** The one after a token that was looked at. */
  after(token: Token): Token {
    return tokenAt(this.text, token.end);
  }

  take(): Token {
    const token = this.peek();
    this.goTo(token.end);
    return token;
  }

  /** Whether a mark or a keyword is next. */
  is(text: string): boolean {
    const token = this.peek();
    return token.text === text && (token.kind === "mark" || token.kind === "name");
  }

  /** Takes a mark or a keyword, if it is next. */
  skip(text: string): boolean {
    const found = this.is(text);
    if (found) this.take();
    return found;
  }

  get ended(): boolean {
    return this.peek().kind === "end";
  }
}
