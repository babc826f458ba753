import type { Bind, Nix } from "./syntax.ts";

/** Names in force at a place. A function's argument has no value. */
export interface Scope {
  readonly outer: Scope | undefined;
  readonly names: ReadonlyMap<string, Scoped | undefined>;
}
/** An expression and what its names mean. */
export interface Scoped {
  readonly node: Nix;
  readonly scope: Scope | undefined;
}

/** A scope inside of `outer` in which these attributes can be named. */
export function scopeOf(binds: readonly Bind[], outer: Scope | undefined): Scope {
  const names = new Map<string, Scoped | undefined>();
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

export function lookup(name: string, scope: Scope | undefined): Scoped | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.names.has(name)) return at.names.get(name);
  return undefined;
}
