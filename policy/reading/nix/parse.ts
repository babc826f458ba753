import { type Bind, dedent, escaped, type Key, type Nix, type Token, tokenAt } from "./syntax.ts";

/** Deeper nesting is not read: the program's stack ends somewhere too. */
const DEEPEST = 300;
const KEYWORDS = new Set(["if", "then", "else", "assert", "with", "let", "in", "rec", "inherit", "or"]);
const OPERATORS = new Set("++ // -> == != <= >= && || |> <| + - * / < > ?".split(" "));

export interface Parsed {
  readonly tree: Nix;
  /** False: something is nested so deep that the rest was left out. */
  readonly complete: boolean;
}

/**
 * Parses Nix (https://nix.dev/manual/nix/stable/language/), and goes on after what it does not understand. Ours,
 * since the grammar on npm loads an editor with it, which takes over 100 ms.
 */
export function parseNix(text: string): Parsed {
  return new Parser(text).all();
}

class Parser {
  readonly #text: string;
  #place = 0;
  #ahead: Token | undefined;
  #depth = 0;
  #complete = true;

  constructor(text: string) {
    this.#text = text;
  }

  all(): Parsed {
    const items: Nix[] = [];
    while (this.#peek().kind !== "end") {
      const before = this.#place;
      items.push(this.#expression());
      // What closes nothing is passed over.
      if (this.#place === before) this.#take();
    }
    const [only] = items;
    const tree: Nix = items.length === 1 && only !== undefined ? only : { kind: "unknown", items };
    return { tree, complete: this.#complete };
  }

  #peek(): Token {
    this.#ahead ??= tokenAt(this.#text, this.#place);
    return this.#ahead;
  }
  #take(): Token {
    const token = this.#peek();
    this.#goTo(token.end);
    return token;
  }
  #goTo(place: number): void {
    this.#place = place;
    this.#ahead = undefined;
  }
  #is(text: string): boolean {
    const token = this.#peek();
    return token.text === text && (token.kind === "mark" || token.kind === "name");
  }
  #skip(text: string): boolean {
    const found = this.#is(text);
    if (found) this.#take();
    return found;
  }

  #expression(): Nix {
    if (this.#depth >= DEEPEST) {
      this.#complete = false;
      this.#goTo(this.#text.length);
      return { kind: "unknown", items: [] };
    }
    this.#depth += 1;
    const found = this.#head();
    this.#depth -= 1;
    return found;
  }

  #head(): Nix {
    if (this.#is("let")) {
      this.#take();
      if (this.#skip("{")) return { kind: "set", binds: this.#binds("}"), recursive: true };
      const binds = this.#binds("in");
      return { kind: "let", binds, body: this.#expression() };
    }
    if (this.#skip("if")) {
      const condition = this.#expression();
      const yes = this.#skip("then") ? this.#expression() : condition;
      const no = this.#skip("else") ? this.#expression() : yes;
      return { kind: "either", items: no === yes ? [yes] : [yes, no] };
    }
    if (this.#is("with") || this.#is("assert")) {
      this.#take();
      this.#expression();
      this.#skip(";");
      return this.#expression();
    }
    return this.#function() ?? this.#operations();
  }

  /** `x:`, `{ a, b ? 1, ... }:`, `x@{ … }:`, `{ … }@x:`. */
  #function(): Nix | undefined {
    const first = this.#peek();
    if (first.kind === "name" && !KEYWORDS.has(first.text)) {
      const next = tokenAt(this.#text, first.end).text;
      if (next !== ":" && next !== "@") return undefined;
      this.#take();
      this.#take();
      if (next === "@" && this.#skip("{")) return this.#formals([first.text]);
      return { kind: "function", names: [first.text], defaults: [], open: false, body: this.#expression() };
    }
    if (first.text !== "{" || !this.#startsFormals(first)) return undefined;
    this.#take();
    return this.#formals([]);
  }

  #startsFormals(open: Token): boolean {
    const one = tokenAt(this.#text, open.end);
    const closes = (token: Token): boolean => {
      const after = token.text === "}" ? tokenAt(this.#text, token.end).text : "";
      return after === ":" || after === "@";
    };
    if (one.text === "..." || closes(one)) return true;
    if (one.kind !== "name") return false;
    const two = tokenAt(this.#text, one.end);
    return two.text === "," || two.text === "?" || closes(two);
  }

  #formals(names: string[]): Nix {
    const defaults: Bind[] = [];
    let open = false;
    while (!this.#is("}") && this.#peek().kind !== "end") {
      const token = this.#take();
      if (token.text === "...") open = true;
      if (token.kind !== "name") continue;
      names.push(token.text);
      if (this.#skip("?")) defaults.push({ path: [token.text], value: this.#expression() });
    }
    this.#skip("}");
    if (this.#skip("@")) names.push(this.#take().text);
    this.#skip(":");
    return { kind: "function", names, defaults, open, body: this.#expression() };
  }

  #operations(): Nix {
    const operands: Nix[] = [];
    const operators: string[] = [];
    for (;;) {
      let changed = false;
      while (this.#is("!") || this.#is("-")) {
        this.#take();
        changed = true;
      }
      const nested = this.#is("let") || this.#is("if") || this.#is("with") || this.#is("assert");
      const operand = nested ? this.#expression() : this.#application();
      operands.push(changed ? { kind: "unknown", items: [operand] } : operand);
      const next = this.#peek();
      if (next.kind !== "mark" || !OPERATORS.has(next.text)) break;
      operators.push(this.#take().text);
    }
    return grouped(operands, operators);
  }

  #application(): Nix {
    const fn = this.#selection();
    const args: Nix[] = [];
    while (this.#startsValue()) args.push(this.#selection());
    return args.length === 0 ? fn : { kind: "apply", fn, args };
  }

  #startsValue(): boolean {
    const { kind, text } = this.#peek();
    if (kind === "name") return text === "rec" || !KEYWORDS.has(text);
    if (kind === "mark") return text === '"' || text === "''" || text === "(" || text === "[" || text === "{";
    return kind !== "end";
  }

  #selection(): Nix {
    const from = this.#value();
    if (!this.#is(".")) return from;
    this.#take();
    const path = this.#path();
    return this.#skip("or")
      ? { kind: "select", from, path, otherwise: this.#selection() }
      : { kind: "select", from, path };
  }

  #value(): Nix {
    const { kind, text } = this.#peek();
    if (!this.#startsValue()) return { kind: "unknown", items: [] };
    this.#take();
    if (kind === "number") return { kind: "scalar", value: Number(text) };
    if (kind === "path" || kind === "uri") return { kind: "scalar", value: text };
    if (text === '"' || text === "''") return this.#string(text);
    if (text === "(") {
      const inner = this.#expression();
      this.#closing(")");
      return inner;
    }
    if (text === "[") return this.#list();
    if (text === "rec") this.#skip("{");
    if (text === "rec" || text === "{")
      return this.#nested(() => ({ kind: "set", binds: this.#binds("}"), recursive: text === "rec" }));
    return { kind: "name", name: text };
  }

  #nested(read: () => Nix): Nix {
    if (this.#depth >= DEEPEST) return this.#expression();
    this.#depth += 1;
    const found = read();
    this.#depth -= 1;
    return found;
  }

  #list(): Nix {
    return this.#nested(() => {
      const items: Nix[] = [];
      while (!this.#is("]") && this.#peek().kind !== "end") {
        if (this.#startsValue()) items.push(this.#selection());
        else if (this.#is("}") || this.#is(";")) break;
        else this.#take();
      }
      this.#skip("]");
      return { kind: "list", items };
    });
  }

  #closing(mark: string): void {
    while (!this.#is(mark) && !this.#is(";") && !this.#is("}") && this.#peek().kind !== "end") {
      const before = this.#place;
      this.#expression();
      if (this.#place === before) this.#take();
    }
    this.#skip(mark);
  }

  #binds(end: "}" | "in"): Bind[] {
    const binds: Bind[] = [];
    while (!this.#skip(end) && this.#peek().kind !== "end") {
      const before = this.#place;
      if (this.#skip("inherit")) binds.push(...this.#inherited());
      else {
        const path = this.#path();
        if (this.#skip("=")) binds.push({ path, value: this.#expression() });
      }
      if (!this.#skip(";") && this.#place === before) this.#take();
    }
    return binds;
  }

  #inherited(): Bind[] {
    let from: Nix | undefined;
    if (this.#skip("(")) {
      from = this.#expression();
      this.#closing(")");
    }
    const binds: Bind[] = [];
    while (this.#peek().kind === "name" || this.#is('"')) {
      const [name = ""] = this.#path();
      if (typeof name !== "string") continue;
      const value: Nix = from === undefined ? { kind: "name", name } : { kind: "select", from, path: [name] };
      binds.push({ path: [name], value, inherited: true });
    }
    return binds;
  }

  #path(): Key[] {
    const path: Key[] = [];
    do {
      const { kind, text } = this.#peek();
      if (kind === "name") path.push(this.#take().text);
      else if (text === '"') {
        this.#take();
        const key = this.#string(text);
        const [only = ""] = key.kind === "string" ? key.parts : [];
        path.push(key.kind === "string" && key.parts.length <= 1 && typeof only === "string" ? only : key);
      } else if (text === "${") {
        this.#take();
        path.push(this.#expression());
        this.#closing("}");
      } else break;
    } while (this.#skip("."));
    return path;
  }

  #string(quotes: string): Nix {
    const indented = quotes === "''";
    const plain = indented ? /[^'$]+/y : /[^"\\$]+/y;
    const parts: (string | Nix)[] = [];
    // What is escaped is no indentation, and no interpolation.
    let literal = "";
    const flush = (): void => {
      if (literal !== "") parts.push(literal);
      literal = "";
    };
    const text = this.#text;
    let place = this.#place;
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
        this.#goTo(place + 2);
        parts.push(this.#expression());
        this.#closing("}");
        place = this.#place;
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
    this.#goTo(Math.min(place + quotes.length, text.length));
    return { kind: "string", parts: indented ? dedent(parts) : parts };
  }
}

/** From what binds least to what binds most; of the rest only the operands are kept. */
function grouped(operands: readonly Nix[], operators: readonly string[]): Nix {
  const [first = { kind: "unknown", items: [] } as Nix] = operands;
  if (operators.length === 0) return first;
  const other = (operator: string): boolean => !["//", "+", "++", "-", "*", "/", "?"].includes(operator);
  const op = operators.some(other) ? undefined : ["//", "+", "++"].find((each) => operators.includes(each));
  if (op === undefined && !operators.some(other)) return { kind: "unknown", items: operands };
  const groups: { operands: Nix[]; operators: string[] }[] = [{ operands: [first], operators: [] }];
  for (const [index, operator] of operators.entries()) {
    const operand = operands[index + 1];
    if (operand === undefined) continue;
    const group = groups.at(-1);
    if (op === undefined ? other(operator) : operator === op)
      groups.push({ operands: [operand], operators: [] });
    else {
      group?.operands.push(operand);
      group?.operators.push(operator);
    }
  }
  const items = groups.map((group) => grouped(group.operands, group.operators));
  return op === "//" || op === "+" || op === "++" ? { kind: "join", op, items } : { kind: "unknown", items };
}
