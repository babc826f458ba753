import type { Parser } from "./parse.ts";
import { type Bind, isKeyword, type Nix } from "./syntax.ts";
import type { Token, Tokens } from "./tokens.ts";

/** A function, when one is next: `x:`, `{ a, b ? 1, ... }:`, `x@{ … }:`, `{ … }@x:`. */
export function readFunction(parser: Parser): Nix | undefined {
  const { tokens } = parser;
  const first = tokens.peek();
  if (first.kind === "name" && !isKeyword(first.text)) {
    const next = tokens.after(first).text;
    if (next !== ":" && next !== "@") return undefined;
    tokens.take();
    tokens.take();
    if (next === "@" && tokens.skip("{")) return formals(parser, [first.text]);
    return { kind: "function", names: [first.text], defaults: [], open: false, body: parser.expression() };
  }
  if (first.text !== "{" || !startsFormals(tokens, first)) return undefined;
  tokens.take();
  return formals(parser, []);
}

/** Tells formals from a set, which begins with the same brace. */
function startsFormals(tokens: Tokens, open: Token): boolean {
  const closes = (token: Token): boolean => {
    const after = token.text === "}" ? tokens.after(token).text : "";
    return after === ":" || after === "@";
  };
  const one = tokens.after(open);
  if (one.text === "..." || closes(one)) return true;
  if (one.kind !== "name") return false;
  const two = tokens.after(one);
  return two.text === "," || two.text === "?" || closes(two);
}

function formals(parser: Parser, names: string[]): Nix {
  const { tokens } = parser;
  const defaults: Bind[] = [];
  let open = false;
  while (!tokens.is("}") && !tokens.ended) {
    const token = tokens.take();
    if (token.text === "...") open = true;
    if (token.kind !== "name") continue;
    names.push(token.text);
    if (tokens.skip("?")) defaults.push({ path: [token.text], value: parser.expression() });
  }
  tokens.skip("}");
  if (tokens.skip("@")) names.push(tokens.take().text);
  tokens.skip(":");
  return { kind: "function", names, defaults, open, body: parser.expression() };
}
