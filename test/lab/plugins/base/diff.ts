// Differences between two trees of property values, in the words of the provider protocol.

import { equal, isObject, type Path, pathText, type Value, type Values } from "./values.ts";

export type Change = { readonly path: Path; readonly kind: "add" | "delete" | "update" };

/** The smallest set of paths at which the trees differ. */
export function changes(before: Value | undefined, after: Value | undefined, at: Path = []): Change[] {
  if (equal(before, after)) return [];
  if (before === undefined || before === null) return [{ path: at, kind: "add" }];
  if (after === undefined || after === null) return [{ path: at, kind: "delete" }];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changes(before[key], after[key], [...at, key]));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const longest = before.length > after.length ? before : after;
    return longest.flatMap((_, index) => changes(before[index], after[index], [...at, index]));
  }
  return [{ path: at, kind: "update" }];
}

/** Does an `ignoreChanges` entry cover the path? It may name the path, something above it, or `[*]`. */
export function isIgnored(path: Path, ignored: readonly string[]): boolean {
  return ignored.some((entry) => {
    const pattern = entry.split("[*]").map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${pattern.join("\\[\\d+\\]")}($|[.[])`).test(pathText(path));
  });
}

export function topLevel(found: readonly Change[]): Set<string> {
  return new Set(found.map(({ path }) => String(path[0])));
}

/** Only the keys that a program may set: what a provider computes is no difference. */
export function pick(values: Values, keys: Iterable<string>): Values {
  return Object.fromEntries(
    [...keys].filter((key) => key in values).map((key) => [key, values[key] ?? null]),
  );
}
