import { createRequire } from "node:module";
import type { Reader } from "../content.ts";
import { fromPlain, type Members, type Tree } from "./payload.ts";
import { structuredContent } from "./structured.ts";

/**
 * JSON, and HuJSON with its comments and trailing commas, however broken. Yields every leaf as a setting, both values
 * of a key given twice (which one counts depends on who reads it), and all that the same data would say as YAML.
 */
export const readJson: Reader = ({ text, at }) => structuredContent(parseJson(text), text, at);

/** JSON or HuJSON as a tree; what can't be read of it is left out. Null for a text that holds no value. */
export function parseJson(text: string): Tree {
  let strict: unknown;
  try {
    strict = JSON.parse(text);
  } catch {
    return tolerant(text);
  }
  // JSON.parse keeps the last of two equal keys only. Each member has one colon outside of strings.
  return colons(text) === memberCount(strict) ? fromPlain(strict) : tolerant(text);
}

function colons(text: string): number {
  let count = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted && code === 0x5c) index++;
    else if (code === 0x22) quoted = !quoted;
    else if (code === 0x3a && !quoted) count++;
  }
  return count;
}

function memberCount(top: unknown): number {
  let count = 0;
  const open: unknown[] = [top];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) open.push(child);
  }
  return count;
}

type Library = typeof import("jsonc-parser");
let library: Library | undefined;
/** Loaded when the first text comes that JSON.parse refuses. */
const jsonc = (): Library => (library ??= createRequire(import.meta.url)("jsonc-parser") as Library);

// The numbers of jsonc-parser's SyntaxKind, a const enum, which a separate file can't import.
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON] = [1, 2, 3, 4, 5, 6];
const [NULL, TRUE, FALSE, STRING, NUMBER, UNKNOWN_WORD, EOF] = [7, 8, 9, 10, 11, 16, 17];

interface Open {
  readonly add: (value: Tree, key: string) => void;
  key: string | undefined;
}

/** A loop with a stack of its own: jsonc-parser's parser calls itself, and deep nesting would end it. */
function tolerant(text: string): Tree {
  const scanner = jsonc().createScanner(text, true);
  const top: Tree[] = [];
  const stack: Open[] = [{ add: (value) => top.push(value), key: undefined }];
  const put = (value: Tree, open?: Open): void => {
    const holder = stack.at(-1);
    if (holder === undefined) return;
    holder.add(value, holder.key ?? "");
    holder.key = undefined;
    if (open !== undefined) stack.push(open);
  };
  let last: string | undefined;
  for (;;) {
    const kind: number = scanner.scan();
    if (kind === EOF) break;
    const value = kind === STRING || kind === UNKNOWN_WORD ? scanner.getTokenValue() : undefined;
    if (last !== undefined) {
      // A string is a key if a colon follows it, whatever the place: a broken text must not hide its values.
      const holder = stack.at(-1);
      if (kind === COLON && holder !== undefined) holder.key = last;
      else put(last);
      last = undefined;
    }
    if (value !== undefined) last = value;
    else if (kind === NUMBER) put(Number(scanner.getTokenValue()));
    else if (kind === NULL) put(null);
    else if (kind === TRUE || kind === FALSE) put(kind === TRUE);
    else if (kind === OPEN_BRACE) {
      const inside: [string, Tree][] = [];
      const tree: Members = { members: inside };
      put(tree, { add: (item, key) => inside.push([key, item]), key: undefined });
    } else if (kind === OPEN_BRACKET) {
      const inside: Tree[] = [];
      put(inside, { add: (item) => inside.push(item), key: undefined });
    } else if ((kind === CLOSE_BRACE || kind === CLOSE_BRACKET) && stack.length > 1) stack.pop();
    else if (kind === COMMA) {
      const holder = stack.at(-1);
      if (holder !== undefined) holder.key = undefined;
    }
  }
  if (last !== undefined) put(last);
  return top.length === 0 ? null : top.length === 1 ? (top[0] ?? null) : top;
}
