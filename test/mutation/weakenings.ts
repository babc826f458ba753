import type { babel } from "@stryker-mutator/instrumenter";
import { withoutEachAlternative } from "./alternatives.ts";

/** A change of a part of a file that leaves out one of several conditions. */
export interface Weakening {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Stryker's name for the mutator that comes closest: its directives name it. */
  readonly mutator: string;
}

type Path = babel.NodePath;

/** Stryker replaces these itself where a condition stands. */
const MUTATED_BY_STRYKER: ReadonlySet<string> = new Set(["===", "!==", "==", "!=", "<", "<=", ">", ">="]);

/**
 * What Stryker does not try at a node. It replaces comparisons, but of `isTmpfs(mount) || isReadOnly(mount)` it leaves
 * out neither call, and of a list, a sequence of statements or the alternatives of a regular expression no single one.
 * A string of a list it empties, which some comparisons take for any string.
 */
export function weakenings(path: Path): Weakening[] {
  if (path.isLogicalExpression() && path.node.operator !== "??") {
    const neutral = path.node.operator === "&&" ? "true" : "false";
    return [path.get("left"), path.get("right")]
      .filter((operand) => !isLeftToStryker(operand))
      .flatMap((operand) => change(operand, neutral, "ConditionalExpression"));
  }
  if (path.isConditionalExpression()) {
    const test = path.get("test");
    if (isLeftToStryker(test)) return [];
    return ["true", "false"].flatMap((value) => change(test, value, "ConditionalExpression"));
  }
  if (path.isArrayExpression()) {
    const elements = path.get("elements").filter(({ node }) => node !== null) as Path[];
    if (elements.length < 2) return [];
    return elements.flatMap((element) => change(element, "...[]", "ArrayDeclaration"));
  }
  if (path.isExpressionStatement() && path.parentPath.isBlockStatement()) {
    return path.parentPath.node.body.length < 2 ? [] : change(path, ";", "BlockStatement");
  }
  if (path.isRegExpLiteral()) {
    const { pattern, flags } = path.node;
    return withoutEachAlternative(pattern).flatMap((weaker) => change(path, `/${weaker}/${flags}`, "Regex"));
  }
  return [];
}

/** A list that is written as one string: none of its words can be left out. */
export function isSplitLiteral(path: Path): boolean {
  if (!path.isCallExpression()) return false;
  const callee = path.get("callee");
  if (!callee.isMemberExpression() || !callee.get("property").isIdentifier({ name: "split" })) return false;
  const text = callee.get("object");
  return text.isStringLiteral() || (text.isTemplateLiteral() && text.node.expressions.length === 0);
}

const isLeftToStryker = (path: Path): boolean =>
  path.isLogicalExpression() || (path.isBinaryExpression() && MUTATED_BY_STRYKER.has(path.node.operator));

function change(path: Path, replacement: string, mutator: string): Weakening[] {
  const { start, end } = path.node;
  return typeof start === "number" && typeof end === "number" ? [{ start, end, replacement, mutator }] : [];
}
