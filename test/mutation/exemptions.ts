import type { babel } from "@stryker-mutator/instrumenter";

type Path = babel.NodePath;

const TEXTS: ReadonlySet<string> = new Set([
  "title",
  "reason",
  "remediation",
  "message",
  "fix",
  "description",
]);

/** A string whose text is what a person reads: all of a text property or constant, or a part that a condition chooses. */
export function isText(path: Path): boolean {
  if (!path.isStringLiteral() && !path.isTemplateLiteral()) return false;
  let at: Path = path;
  while (at.parentPath !== null) {
    const parent: Path = at.parentPath;
    if (parent.isObjectProperty()) return at.key === "value" && TEXTS.has(nameOf(parent));
    if (parent.isVariableDeclarator()) return at.key === "init" && TEXTS.has(nameOf(parent));
    const passesOn =
      (parent.isConditionalExpression() && at.key !== "test") ||
      parent.isLogicalExpression() ||
      parent.isTemplateLiteral() ||
      (parent.isBinaryExpression() && parent.node.operator === "+");
    if (!passesOn) return false;
    at = parent;
  }
  return false;
}

/** The `properties` beside the `defaults` of a gate's configuration. */
export function isSettingsSchema(path: Path): boolean {
  if (!path.isObjectProperty() || nameOf(path) !== "properties") return false;
  const configuration = path.parentPath;
  return (
    configuration.isObjectExpression() &&
    configuration.get("properties").some((sibling) => nameOf(sibling) === "defaults")
  );
}

function nameOf(path: Path): string {
  if (path.isVariableDeclarator()) return path.node.id.type === "Identifier" ? path.node.id.name : "";
  if (!path.isObjectProperty() || path.node.computed) return "";
  const { key } = path.node;
  return key.type === "Identifier" ? key.name : key.type === "StringLiteral" ? key.value : "";
}
