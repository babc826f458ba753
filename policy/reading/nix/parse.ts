import { readBindings, readPath } from "./bindings.ts";
import { readFunction } from "./formals.ts";
import { grouped, isOperator } from "./operators.ts";
import { readString } from "./strings.ts";
import { isKeyword, type Nix, type NixOf } from "./syntax.ts";
import { Tokens } from "./tokens.ts";

/** Deeper nesting is not read: the program's stack ends somewhere too. */
const DEEPEST = 300;
/** Where an expression was expected, and something else stands. */
const NOTHING: Nix = { kind: "unknown", items: [] };

/**
 * Parses Nix (https://nix.dev/manual/nix/stable/language/), and goes on after what it does not understand. Not
 * complete: something is nested so deep that the rest was left out. A parser of our own, since the grammar on npm
 * loads an editor with it, which takes over 100 ms.
 */
export function parseNix(text: string): { readonly tree: Nix; readonly complete: boolean } {
  const parser = new Parser(text);
  return { tree: parser.all(), complete: parser.complete };
}

export class Parser {
  readonly tokens: Tokens;
  complete = true;
  #depth = 0;

  constructor(text: string) {
    this.tokens = new Tokens(text);
  }

  all(): Nix {
    const items: Nix[] = [];
    while (!this.tokens.ended) {
      const before = this.tokens.place;
      items.push(this.expression());
      // What closes nothing is passed over.
      if (this.tokens.place === before) this.tokens.take();
    }
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "unknown", items };
  }

  expression(): Nix {
    return this.#nested(() => this.#statement() ?? readFunction(this) ?? this.#operations());
  }

  /** Goes on to what closes a bracket or a brace. */
  closing(mark: string): void {
    const { tokens } = this;
    while (!tokens.is(mark) && !tokens.is(";") && !tokens.is("}") && !tokens.ended) {
      const before = tokens.place;
      this.expression();
      if (tokens.place === before) tokens.take();
    }
    tokens.skip(mark);
  }

  /** A string whose opening quotes were taken. */
  string(quotes: string): NixOf<"string"> {
    return readString(this.tokens, quotes, () => this.interpolation());
  }

  /** What stands after `${`, with the closing brace. */
  interpolation(): Nix {
    const found = this.expression();
    this.closing("}");
    return found;
  }

  /** What nests too deep ends the text. */
  #nested(read: () => Nix): Nix {
    if (this.#depth >= DEEPEST) {
      this.complete = false;
      this.tokens.goTo(this.tokens.text.length);
      return NOTHING;
    }
    this.#depth += 1;
    const found = read();
    this.#depth -= 1;
    return found;
  }

  #statement(): Nix | undefined {
    const { tokens } = this;
    if (tokens.skip("let")) {
      // `let { … }`, of which `body` is the value, is an old notation.
      if (tokens.skip("{")) return { kind: "set", binds: readBindings(this, "}"), recursive: true };
      return { kind: "let", binds: readBindings(this, "in"), body: this.expression() };
    }
    if (tokens.skip("if")) {
      const condition = this.expression();
      const yes = tokens.skip("then") ? this.expression() : condition;
      return { kind: "either", items: tokens.skip("else") ? [yes, this.expression()] : [yes] };
    }
    if (tokens.skip("with") || tokens.skip("assert")) {
      this.expression();
      tokens.skip(";");
      return this.expression();
    }
    return undefined;
  }

  #operations(): Nix {
    const { tokens } = this;
    const operands: Nix[] = [];
    const operators: string[] = [];
    for (;;) {
      let changed = false;
      while (tokens.skip("!") || tokens.skip("-")) changed = true;
      const statement = ["let", "if", "with", "assert"].some((keyword) => tokens.is(keyword));
      const operand = statement ? this.expression() : this.#application();
      operands.push(changed ? { kind: "unknown", items: [operand] } : operand);
      const next = tokens.peek();
      if (next.kind !== "mark" || !isOperator(next.text)) break;
      operators.push(tokens.take().text);
    }
    return grouped(operands, operators);
  }

  #application(): Nix {
    const fn = this.#selection();
    const args: Nix[] = [];
    while (this.#startsValue()) args.push(this.#selection());
    return args.length === 0 ? fn : { kind: "apply", fn, args };
  }

  #selection(): Nix {
    const from = this.#value();
    if (!this.tokens.skip(".")) return from;
    const path = readPath(this);
    return this.tokens.skip("or")
      ? { kind: "select", from, path, otherwise: this.#selection() }
      : { kind: "select", from, path };
  }

  #startsValue(): boolean {
    const { kind, text } = this.tokens.peek();
    if (kind === "name") return text === "rec" || !isKeyword(text);
    if (kind === "mark") return text === '"' || text === "''" || text === "(" || text === "[" || text === "{";
    return kind !== "end";
  }

  #value(): Nix {
    if (!this.#startsValue()) return NOTHING;
    const { tokens } = this;
    const { kind, text } = tokens.take();
    if (kind === "number") return { kind: "scalar", value: Number(text) };
    if (kind === "path" || kind === "uri") return { kind: "scalar", value: text };
    switch (text) {
      case '"':
      case "''":
        return this.string(text);
      case "(": {
        const inner = this.expression();
        this.closing(")");
        return inner;
      }
      case "[":
        return this.#nested(() => this.#list());
      case "rec":
        tokens.skip("{");
        return this.#nested(() => ({ kind: "set", binds: readBindings(this, "}"), recursive: true }));
      case "{":
        return this.#nested(() => ({ kind: "set", binds: readBindings(this, "}"), recursive: false }));
      default:
        return { kind: "name", name: text };
    }
  }

  #list(): Nix {
    const { tokens } = this;
    const items: Nix[] = [];
    while (!tokens.is("]") && !tokens.ended) {
      if (this.#startsValue()) items.push(this.#selection());
      else if (tokens.is("}") || tokens.is(";")) break;
      else tokens.take();
    }
    tokens.skip("]");
    return { kind: "list", items };
  }
}
