import type { Bind, Key, Nix } from "./syntax.ts";

/**
 * Stands in a text for a value of Nix that the file does not tell. It is written as a variable that nobody sets, so
 * that the readers of shell and units, to whom most of these texts go, see a word that they can't know.
 */
export const UNKNOWN_NIX_VALUE = "$UNKNOWN_NIX_VALUE";
/** Stands for a package's folder: what matters of a program is the name after it. */
export const STORE = "/nix/store/unknown";

const LONGEST = 1_000_000;
const DEEPEST = 60;

/** What can be worked out costs steps; a few lines of Nix can ask for any number of them. */
export interface Fuel {
  steps: number;
  characters: number;
}
export const newFuel = (): Fuel => ({ steps: 400_000, characters: 16_000_000 });

/** Names in force at a place. A function's argument has no value. */
export interface Scope {
  readonly outer: Scope | undefined;
  readonly names: ReadonlyMap<string, Placed | undefined>;
}
interface Placed {
  readonly node: Nix;
  readonly scope: Scope | undefined;
}

/** A scope inside of `outer` in which these attributes can be named. */
export function scopeOf(binds: readonly Bind[], outer: Scope | undefined): Scope {
  const names = new Map<string, Placed | undefined>();
  const scope: Scope = { outer, names };
  const nested = new Map<string, Bind[]>();
  for (const { path, value, inherited } of binds) {
    const [name, ...rest] = path;
    if (typeof name !== "string") continue;
    if (rest.length === 0) names.set(name, { node: value, scope: inherited ? outer : scope });
    else {
      const parts = nested.get(name) ?? [];
      parts.push({ path: rest, value });
      nested.set(name, parts);
    }
  }
  for (const [name, parts] of nested)
    names.set(name, { node: { kind: "set", binds: parts, recursive: false }, scope });
  return scope;
}

export const argumentsOf = (names: readonly string[], outer: Scope | undefined): Scope => ({
  outer,
  names: new Map(names.map((name) => [name, undefined])),
});

function lookup(name: string, scope: Scope | undefined): Placed | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.names.has(name)) return at.names.get(name);
  return undefined;
}

/** Functions that give what they are given last, and at most change its rank. */
export const PASSING =
  /^mk(If|Force|Default|Override|Before|After|Order|VMOverride|ImageMediaOverride|DefaultText)$|^(optionalAttrs|optionalString|id|trim|removeSuffix|removePrefix|toLower|toString|escapeShellArg|escapeSystemdExecArg|traceVal|trace|seq|deepSeq|nixosModule)$/;
export const WRITING = /^write[A-Z]\w*$/;

/** The last part of what a function is called by: `mkIf` of `lib.mkIf`. */
export function nameOf(fn: Nix): string {
  if (fn.kind === "name") return fn.name;
  const last = fn.kind === "select" ? fn.path.at(-1) : undefined;
  return typeof last === "string" ? last : "";
}

/** What a name, a selection or a wrapped value comes to, when this file tells it. */
export function resolved(node: Nix, scope: Scope | undefined, fuel: Fuel, depth = 0): Placed | undefined {
  if (depth > DEEPEST || fuel.steps-- <= 0) return undefined;
  switch (node.kind) {
    case "name": {
      const found = lookup(node.name, scope);
      return found && resolved(found.node, found.scope, fuel, depth + 1);
    }
    case "let":
      return resolved(node.body, scopeOf(node.binds, scope), fuel, depth + 1);
    case "select":
      return (
        selected(resolved(node.from, scope, fuel, depth + 1), node.path, fuel, depth + 1) ??
        (node.otherwise && resolved(node.otherwise, scope, fuel, depth + 1))
      );
    case "apply": {
      const last = node.args.at(-1);
      const wraps = last !== undefined && PASSING.test(nameOf(node.fn)) && nameOf(node.fn).startsWith("mk");
      return wraps ? resolved(last, scope, fuel, depth + 1) : { node, scope };
    }
    case "unknown":
    case "function":
      return undefined;
    default:
      return { node, scope };
  }
}

function selected(
  from: Placed | undefined,
  path: readonly Key[],
  fuel: Fuel,
  depth: number,
): Placed | undefined {
  if (from === undefined || from.node.kind !== "set") return undefined;
  const { binds, recursive } = from.node;
  const inside = recursive ? scopeOf(binds, from.scope) : from.scope;
  for (const bind of binds) {
    if (bind.path.length > path.length || fuel.steps-- <= 0) continue;
    if (!bind.path.every((key, index) => typeof key === "string" && key === path[index])) continue;
    const value = resolved(bind.value, bind.inherited ? from.scope : inside, fuel, depth + 1);
    return bind.path.length === path.length
      ? value
      : selected(value, path.slice(bind.path.length), fuel, depth + 1);
  }
  return undefined;
}

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
  if (name === "getExe'" || name === "getExe'_") {
    const program = second && rendered(second, scope, fuel, depth);
    return { text: `${STORE}/bin/${program?.text ?? UNKNOWN_NIX_VALUE}`, known: program?.known ?? false };
  }
  if (name === "getBin" || name === "getBin'") return { text: STORE, known: true };
  if (PASSING.test(name)) return rendered(last, scope, fuel, depth);
  const separated =
    name === "concatStringsSep" ||
    name === "escapeShellArgs" ||
    name === "concatStrings" ||
    name === "concatLines";
  if (separated) {
    const list = resolved(last, scope, fuel, depth);
    if (list?.node.kind !== "list") return undefined;
    const given = name === "concatStringsSep" ? rendered(first, scope, fuel, depth)?.text : undefined;
    const between = given ?? (name === "concatLines" ? "\n" : name === "escapeShellArgs" ? " " : "");
    const parts = list.node.items.flatMap((item, index) => (index === 0 ? [item] : [between, item]));
    return pieces(parts, list.scope, fuel, depth);
  }
  // A script on its own, which is read where it stands.
  return WRITING.test(name) && !name.endsWith("Bin") && name !== "writeShellApplication"
    ? { text: `${STORE}-script`, known: true }
    : undefined;
}

function packageName(node: Nix): string {
  if (node.kind === "name") return node.name;
  const last = node.kind === "select" ? node.path.at(-1) : undefined;
  return typeof last === "string" ? last : UNKNOWN_NIX_VALUE;
}
