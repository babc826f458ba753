import { isRanked, nameOf } from "./functions.ts";
import { lookup, type Scope, type Scoped, scopeOf } from "./scope.ts";
import type { Key, Nix } from "./syntax.ts";

/** Names for names for names. */
export const DEEPEST = 60;

/** What can be worked out costs steps; a few lines of Nix can ask for any number of them. */
export interface Fuel {
  steps: number;
  /** Of the texts that come out. */
  characters: number;
}
export const newFuel = (): Fuel => ({ steps: 400_000, characters: 16_000_000 });

/** What a name, a selection or a wrapped value comes to, when this file tells it. */
export function resolved(node: Nix, scope: Scope | undefined, fuel: Fuel, depth = 0): Scoped | undefined {
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
      return last !== undefined && isRanked(nameOf(node.fn))
        ? resolved(last, scope, fuel, depth + 1)
        : { node, scope };
    }
    case "unknown":
    case "function":
      return undefined;
    default:
      return { node, scope };
  }
}

function selected(
  from: Scoped | undefined,
  path: readonly Key[],
  fuel: Fuel,
  depth: number,
): Scoped | undefined {
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
