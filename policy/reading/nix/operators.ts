import type { Nix } from "./syntax.ts";

interface Level {
  readonly operators: ReadonlySet<string>;
  /** Undefined: what comes out is not worked out, only the operands are kept. */
  readonly join?: "//" | "+" | "++";
}

/** From what binds least to what binds most. */
const LEVELS: readonly Level[] = [
  { operators: new Set("-> == != <= >= && || |> <| < >".split(" ")) },
  { operators: new Set(["//"]), join: "//" },
  { operators: new Set(["+"]), join: "+" },
  { operators: new Set(["++"]), join: "++" },
  { operators: new Set("- * / ?".split(" ")) },
];

export const isOperator = (text: string): boolean => LEVELS.some(({ operators }) => operators.has(text));

/** Groups a row of operands, with an operator between each two of them. */
export function grouped(operands: readonly Nix[], operators: readonly string[]): Nix {
  const level = LEVELS.find((each) => operators.some((operator) => each.operators.has(operator)));
  if (level === undefined) return operands[0] ?? { kind: "unknown", items: [] };
  const items: Nix[] = [];
  let from = 0;
  for (let at = 0; at <= operators.length; at += 1) {
    const operator = operators[at];
    if (operator !== undefined && !level.operators.has(operator)) continue;
    items.push(grouped(operands.slice(from, at + 1), operators.slice(from, at)));
    from = at + 1;
  }
  return level.join === undefined ? { kind: "unknown", items } : { kind: "join", op: level.join, items };
}
