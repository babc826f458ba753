import type { Value } from "../pack/resource.ts";
import type { Setting } from "./content.ts";

/** Deeper values are left out: nobody writes them, and nesting without an end must not end the pack. */
const DEEPEST = 64;

/** The leaves of a value, each at its path; `at` names the place of the whole. */
export function settingsOf(value: Value, at = "", path: readonly string[] = []): Setting[] {
  const settings: Setting[] = [];
  collect(value, at, path, settings);
  return settings;
}

function collect(value: Value, at: string, path: readonly string[], into: Setting[]): void {
  if (value === undefined || path.length > DEEPEST) return;
  const place = at === "" ? path.join(".") : path.length === 0 ? at : `${at} › ${path.join(".")}`;
  if (value === null || typeof value !== "object") {
    into.push({ at: place, path, value });
    return;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) into.push({ at: place, path, value: Array.isArray(value) ? [] : {} });
  for (const [key, inner] of entries) collect(inner as Value, at, [...path, key], into);
}
