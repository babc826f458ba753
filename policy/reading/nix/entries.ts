import { type Known, UNKNOWN } from "../content.ts";
import { UNKNOWN_NIX_VALUE } from "./render.ts";
import type { NixSetting } from "./walk.ts";

export type Entry = readonly [keys: readonly string[], setting: NixSetting];

/** The settings below `prefix.NAME`, name by name, wherever in a path the prefix stands. */
export function named(settings: readonly NixSetting[], prefix: readonly string[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const setting of settings) {
    const { path } = setting;
    for (let start = 0; start + prefix.length < path.length; start += 1) {
      if (!prefix.every((key, index) => path[start + index] === key)) continue;
      const end = start + prefix.length + 1;
      const name = path.slice(0, end).join(".");
      const entries = found.get(name) ?? [];
      entries.push([path.slice(end), setting]);
      found.set(name, entries);
      break;
    }
  }
  return found;
}

export const all = (entries: readonly Entry[], key: string): NixSetting[] =>
  entries.filter(([keys]) => keys[0] === key).map(([, setting]) => setting);
export const scalar = ({ value }: NixSetting): Known<string> =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : UNKNOWN;
/** What is known of a text, also if a part of it is not. */
export const partly = (setting: NixSetting): Known<string> => setting.shown ?? scalar(setting);
export const known = (text: Known<string>): Known<string> =>
  typeof text === "string" && text.includes(UNKNOWN_NIX_VALUE) ? UNKNOWN : text;
export const isNothing = ({ value }: NixSetting): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);
export const values = (entries: readonly Entry[], key: string): NixSetting[] =>
  all(entries, key).filter((each) => !isNothing(each));
