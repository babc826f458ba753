import { gunzipSync } from "node:zlib";
import { type Known, type Leaf, type Setting, type Text, UNKNOWN } from "../content.ts";

/** Structured data out of YAML, JSON or a resource's properties. A key given twice keeps both values, in order. */
export type Tree = Known<string | number | boolean | null> | readonly Tree[] | Members;
export interface Members {
  readonly members: readonly (readonly [key: string, value: Tree])[];
}

/** Deeper levels are read as if they stood at this one: no reader that counts takes data so deep. */
const DEEPEST = 100;
/** How many composites are shown again where they are repeated (YAML's aliases): a few lines can mean billions. */
const MOST_REPEATED = 10_000;
const LARGEST_UNPACKED = 16 * 1024 * 1024;

export const isMembers = (tree: Tree | undefined): tree is Members =>
  typeof tree === "object" && tree !== null && "members" in tree;
export const isList = (tree: Tree | undefined): tree is readonly Tree[] => Array.isArray(tree);

/** The value of a key; of one given twice the last, as most readers have it. */
export const get = (tree: Tree | undefined, key: string): Tree | undefined =>
  isMembers(tree) ? tree.members.findLast(([name]) => name === key)?.[1] : undefined;

/** The items of a list, nothing for anything else. */
export const items = (tree: Tree | undefined): readonly Tree[] => (isList(tree) ? tree : []);
export const members = (tree: Tree | undefined): Members["members"] => (isMembers(tree) ? tree.members : []);

/** A scalar as text; undefined for a composite or nothing. */
export function scalar(tree: Tree | undefined): Known<string> | undefined {
  if (tree === UNKNOWN || typeof tree === "string") return tree;
  return typeof tree === "number" || typeof tree === "boolean" ? String(tree) : undefined;
}

/** Plain data (`JSON.parse`, properties) as a tree. What is neither is UNKNOWN. */
export function fromPlain(value: unknown, depth = 0): Tree {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object") return UNKNOWN;
  if (depth >= DEEPEST) return plainScalars(value);
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, depth + 1));
  return { members: Object.entries(value).map(([key, item]) => [key, fromPlain(item, depth + 1)]) };
}

function plainScalars(top: object): Tree[] {
  const found: Tree[] = [];
  const open: unknown[] = [top];
  const seen = new Set<unknown>();
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) found.push(fromPlain(value));
    else if (!seen.has(value)) {
      seen.add(value);
      for (const item of Object.values(value)) open.push(item);
    }
  }
  return found;
}

/** Every leaf, with the path to it. */
export function leaves(tree: Tree, at: string): Setting[] {
  const settings: Setting[] = [];
  const seen = new Set<Tree>();
  let repeats = MOST_REPEATED;
  const visit = (value: Tree, path: readonly string[]): void => {
    if (!isMembers(value) && !isList(value)) {
      settings.push(setting(path, value, at));
      return;
    }
    const children: Members["members"] = isMembers(value)
      ? value.members
      : value.map((item, index) => [String(index), item]);
    if (children.length === 0) settings.push(setting(path, isList(value) ? [] : {}, at));
    if (seen.has(value) && repeats-- <= 0) return;
    seen.add(value);
    if (path.length >= DEEPEST) {
      for (const leaf of scalarsBelow(value, seen)) settings.push(setting(path, leaf, at));
      return;
    }
    for (const [key, child] of children) visit(child, [...path, key]);
  };
  visit(tree, []);
  return settings;
}

function scalarsBelow(top: Tree, seen: Set<Tree>): Known<Leaf>[] {
  const found: Known<Leaf>[] = [];
  const open: Tree[] = [top];
  while (open.length > 0) {
    const value = open.pop();
    if (value === undefined) continue;
    if (!isMembers(value) && !isList(value)) found.push(value);
    else if (value === top || !seen.has(value)) {
      seen.add(value);
      for (const child of isMembers(value) ? value.members.map(([, item]) => item) : value) open.push(child);
    }
  }
  return found;
}

/** Whether data is nested so deep that what stands in it has lost its place. */
export function isDeep(top: Tree): boolean {
  const open: { readonly tree: Tree; readonly depth: number }[] = [{ tree: top, depth: 0 }];
  const seen = new Set<Tree>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { tree, depth } = next;
    if ((!isMembers(tree) && !isList(tree)) || seen.has(tree)) continue;
    if (depth >= DEEPEST) return true;
    seen.add(tree);
    for (const child of isMembers(tree) ? tree.members.map(([, item]) => item) : tree)
      open.push({ tree: child, depth: depth + 1 });
  }
  return false;
}

const setting = (path: readonly string[], value: Known<Leaf>, at: string): Setting => ({
  path,
  value,
  at: path.length === 0 ? at : `${at} › ${path.join(".")}`,
});

/**
 * The files that the data carries: objects with a `path` and a `content` (a text, or its lines as `hermes-guest
 * stage` takes them), in whatever place; and Ignition's and Butane's `contents`.
 */
export function carriedFiles(tree: Tree, at: string): Text[] {
  const texts: Text[] = [];
  const seen = new Set<Tree>();
  const visit = (value: Tree, depth: number): void => {
    if ((!isMembers(value) && !isList(value)) || depth > DEEPEST || seen.has(value)) return;
    seen.add(value);
    if (isList(value)) for (const item of value) visit(item, depth + 1);
    else {
      for (const text of fileTexts(value, at)) texts.push(text);
      for (const [, item] of value.members) visit(item, depth + 1);
    }
  };
  visit(tree, 0);
  return texts;
}

function fileTexts(file: Members, at: string): Text[] {
  const path = get(file, "path") ?? get(file, "name");
  if (typeof path !== "string") return [];
  const encoding = scalar(get(file, "encoding"));
  const executable = mayRun(get(file, "permissions")) || mayRun(get(file, "mode"));
  return file.members.flatMap(([key, value]) => {
    // cloud-init's `write_files` takes a `source` with a `uri` as well.
    if (key !== "content" && key !== "contents" && key !== "source") return [];
    // A unit of Ignition has a name and contents; a name and a content is a mere record of something.
    if (key !== "contents" && typeof get(file, "path") !== "string") return [];
    const text = key === "source" && !isMembers(value) ? undefined : contentText(value);
    if (text === undefined) return [];
    const plain = key === "source" ? { text } : unpacked(text, typeof encoding === "string" ? encoding : "");
    return [{ at: `${at} › ${path}`, path, ...plain, ...(executable ? { executable } : {}) }];
  });
}

/** Whether a mode has an x bit. Ignition writes modes in decimals, which mostly are no octal digits: 493. */
function mayRun(mode: Tree | undefined): boolean {
  const digits = String(scalar(mode) ?? "").replace(/^0o/i, "");
  if (!/^\d{1,6}$/.test(digits)) return /^[ugoa]*[+=][rwst]*x/.test(digits);
  return (Number.parseInt(digits, /[89]/.test(digits) ? 10 : 8) & 0o111) !== 0;
}

function contentText(value: Tree): string | undefined {
  if (typeof value === "string") return value;
  if (isList(value)) {
    const lines = value.filter((line) => typeof line === "string");
    return lines.length === 0 ? undefined : lines.join("\n");
  }
  const inline = get(value, "inline");
  if (typeof inline === "string") return inline;
  const source = get(value, "source") ?? get(value, "uri");
  if (typeof source !== "string" || !source.startsWith("data:")) return undefined;
  const comma = source.indexOf(",");
  const body = source.slice(comma + 1);
  return source.slice(0, comma).endsWith(";base64") ? decoded(body, "base64") : percentDecoded(body);
}

/**
 * A content in the encodings that cloud-init's `write_files` knows: `b64`, `base64`, `gz`, `gzip`, `gz+b64`, …
 * What can't be decoded stays as it is.
 */
export const decoded = (text: string, encoding: string): string => unpacked(text, encoding).text;

function unpacked(text: string, encoding: string): Pick<Text, "text" | "packed"> {
  const words = encoding
    .toLowerCase()
    .split("+")
    .map((word) => word.trim());
  const base64 = words.includes("b64") || words.includes("base64");
  const gzip = words.some((word) => word === "gz" || word === "gzip");
  if (!base64 && !gzip) return { text };
  const bytes = Buffer.from(text, base64 ? "base64" : "latin1");
  if (!gzip) return { text: bytes.toString("utf8") };
  try {
    return { text: gunzipSync(bytes, { maxOutputLength: LARGEST_UNPACKED }).toString("utf8") };
  } catch {
    return { text: base64 ? bytes.toString("utf8") : text, packed: true };
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
