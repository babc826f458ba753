import { isPassing, isWriting, nameOf } from "./functions.ts";
import { DEEPEST, type Fuel, resolved } from "./resolve.ts";
import type { Scope } from "./scope.ts";
import type { Nix } from "./syntax.ts";

/**
 * Stands in a text for a value of Nix that the file does not tell. It is written as a variable that nobody sets, so
 * that the readers of shell and units, to whom most of these texts go, see a word that they can't know.
 */
export const UNKNOWN_NIX_VALUE = "$UNKNOWN_NIX_VALUE";
/** Stands for a package's folder: what matters of a program is the name after it. */
const STORE = "/nix/store/unknown";

const LONGEST = 1_000_000;

export interface Rendered {
  readonly text: string;
  /** False: `UNKNOWN_NIX_VALUE` stands in it. */
  readonly known: boolean;
}

/** A value as a text; undefined when it is none, or nothing is known of it. */
export function rendered(node: Nix, scope: Scope | undefined, fuel: Fuel, depth = 0): Rendered | undefined {
  if (depth > DEEPEST || fuel.steps-- <= 0) return undefined;
  if (node.kind === "apply") return applied(node.fn, node.args, scope, fuel, depth + 1);
  if (node.kind === "name" || node.kind === "select" || node.kind === "let") {
    const found = resolved(node, scope, fuel, depth + 1);
    return found && found.node !== node ? rendered(found.node, found.scope, fuel, depth + 1) : undefined;
  }
  if (node.kind === "scalar") return { text: String(node.value), known: true };
  if (node.kind === "string") return pieces(node.parts, scope, fuel, depth);
  return node.kind === "join" && node.op === "+" ? pieces(node.items, scope, fuel, depth) : undefined;
}

function pieces(
  parts: readonly (string | Nix)[],
  scope: Scope | undefined,
  fuel: Fuel,
  depth: number,
): Rendered | undefined {
  let text = "";
  let known = true;
  // Each once: a part is also looked at as what comes after another one.
  const found = parts.map((part): Rendered | undefined =>
    typeof part === "string" ? { text: part, known: true } : rendered(part, scope, fuel, depth + 1),
  );
  for (const [index, piece] of found.entries()) {
    const program = /^\/s?bin\//.test(found[index + 1]?.text ?? "");
    text += piece?.text ?? (program ? STORE : UNKNOWN_NIX_VALUE);
    known &&= piece?.known ?? program;
    if (text.length > LONGEST || text.length > fuel.characters) return undefined;
  }
  fuel.characters -= text.length;
  return { text, known };
}

/** Functions that join the texts of a list, and what they put between them. */
const SEPARATORS: Readonly<Record<string, string>> = {
  concatStrings: "",
  concatLines: "\n",
  escapeShellArgs: " ",
};

/** What a call of one of nixpkgs' functions comes to. */
function applied(
  fn: Nix,
  args: readonly Nix[],
  scope: Scope | undefined,
  fuel: Fuel,
  depth: number,
): Rendered | undefined {
  const name = nameOf(fn);
  const [first, second] = args;
  const last = args.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (name === "getExe")
    return { text: `${STORE}/bin/${packageName(first)}`, known: packageName(first) !== UNKNOWN_NIX_VALUE };
  if (name === "getExe'") {
    const program = second && rendered(second, scope, fuel, depth);
    return { text: `${STORE}/bin/${program?.text ?? UNKNOWN_NIX_VALUE}`, known: program?.known ?? false };
  }
  if (name === "getBin") return { text: STORE, known: true };
  if (isPassing(name)) return rendered(last, scope, fuel, depth);
  if (name === "concatStringsSep" || Object.hasOwn(SEPARATORS, name)) {
    const list = resolved(last, scope, fuel, depth);
    if (list?.node.kind !== "list") return undefined;
    const between = SEPARATORS[name] ?? rendered(first, scope, fuel, depth)?.text ?? "";
    const parts = list.node.items.flatMap((item, index) => (index === 0 ? [item] : [between, item]));
    return pieces(parts, list.scope, fuel, depth);
  }
  // A script on its own, which is read where it stands.
  return isWriting(name) && !name.endsWith("Bin") && name !== "writeShellApplication"
    ? { text: `${STORE}-script`, known: true }
    : undefined;
}

function packageName(node: Nix): string {
  if (node.kind === "name") return node.name;
  const last = node.kind === "select" ? node.path.at(-1) : undefined;
  return typeof last === "string" ? last : UNKNOWN_NIX_VALUE;
}
