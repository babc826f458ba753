import type { Parser } from "./parse.ts";
import type { Bind, Key, Nix } from "./syntax.ts";

/** The bindings of a set or a `let`, and what ends them. */
export function readBindings(parser: Parser, end: "}" | "in"): Bind[] {
  const { tokens } = parser;
  const binds: Bind[] = [];
  while (!tokens.skip(end) && !tokens.ended) {
    const before = tokens.place;
    if (tokens.skip("inherit")) binds.push(...inherited(parser));
    else {
      const path = readPath(parser);
      if (tokens.skip("=")) binds.push({ path, value: parser.expression() });
    }
    if (!tokens.skip(";") && tokens.place === before) tokens.take();
  }
  return binds;
}

/** After `inherit`: `a b`, `(from) a b`. */
function inherited(parser: Parser): Bind[] {
  const { tokens } = parser;
  let from: Nix | undefined;
  if (tokens.skip("(")) {
    from = parser.expression();
    parser.closing(")");
  }
  const binds: Bind[] = [];
  while (tokens.peek().kind === "name" || tokens.is('"')) {
    const [name = ""] = readPath(parser);
    if (typeof name !== "string") continue;
    const value: Nix = from === undefined ? { kind: "name", name } : { kind: "select", from, path: [name] };
    binds.push({ path: [name], value, inherited: true });
  }
  return binds;
}

/** An attribute path: `a.b`, `"a b".c`, `a.${b}`. */
export function readPath(parser: Parser): Key[] {
  const { tokens } = parser;
  const path: Key[] = [];
  do {
    if (tokens.peek().kind === "name") path.push(tokens.take().text);
    else if (tokens.skip('"')) {
      const key = parser.string('"');
      const [only = ""] = key.parts;
      path.push(key.parts.length <= 1 && typeof only === "string" ? only : key);
    } else if (tokens.skip("${")) path.push(parser.interpolation());
    else break;
  } while (tokens.skip("."));
  return path;
}
