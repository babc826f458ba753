import { createRequire } from "node:module";
import type { Node, Pair } from "yaml";
import { type Content, type Reader, UNKNOWN } from "../content.ts";
import { userDataTexts } from "./cloud-init.ts";
import { get, isList, items, type Members, members, scalar, type Tree } from "./payload.ts";
import { joined, structuredContent } from "./structured.ts";

/**
 * YAML, each of its documents: every leaf as a setting, the files that it carries, and what a cloud-config, a compose
 * file or a Kubernetes object says of commands, containers and mounts. A text that can't be parsed is UNKNOWN, and unread.
 */
export const readYaml: Reader = (text) => {
  if (WRAPPED.test(text.text.slice(0, 4096))) return { texts: userDataTexts(text) };
  const documents = parseYaml(text.text);
  const found: Partial<Content>[] = documents.map((tree, index) => {
    const at = documents.length > 1 ? `${text.at} › document ${index + 1}` : text.at;
    const own = structuredContent(tree, text.text, at);
    // A document that is unknown as a whole could not be read.
    const unread: Partial<Content> = tree === UNKNOWN ? { unread: [at] } : {};
    return joined([own, unread, isArchive(text.text) ? archive(tree, at) : {}]);
  });
  return joined(found);
};

/** User data of cloud-init that is not YAML itself, or not yet. */
const WRAPPED =
  /^\uFEFF?(?:#cloud-boothook|#include|#part-handler|## template:[^\n]*jinja|(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){0,20}?(?:mime-version:|content-type:[ \t]*(?:multipart|text)\/))/i;

const isArchive = (text: string): boolean => text.startsWith("#cloud-config-archive");

/** cloud-init's `#cloud-config-archive`: a list of texts, or of objects with a type and a content. */
function archive(tree: Tree, at: string): Partial<Content> {
  return {
    texts: items(tree).flatMap((part, index) => {
      const text = typeof part === "string" ? part : get(part, "content");
      if (typeof text !== "string") return [];
      const type = scalar(get(part, "type"));
      const place = `${at} › [${index}]`;
      if (type === "text/cloud-config") return [{ at: place, text, format: "yaml" as const }];
      if (type === "text/x-shellscript" && !text.startsWith("#!"))
        return [{ at: place, text, format: "shell" as const }];
      return [{ at: place, text }];
    }),
  };
}

const MOST_MERGED = 1000;

type Library = typeof import("yaml");
let library: Library | undefined;
/** Loaded when the first YAML text is met. */
const yaml = (): Library => (library ??= createRequire(import.meta.url)("yaml") as Library);

/**
 * The documents of a text. Tags are ignored, but `!!binary` is decoded. Merged keys (`<<`) stand before a mapping's
 * own ones, so that the last one counts. An alias shares the tree of its anchor, so that aliases cost nothing here.
 */
export function parseYaml(text: string): readonly Tree[] {
  try {
    // Equal keys must not be errors, and looking for them takes quadratic time.
    const options = { uniqueKeys: false, merge: true, logLevel: "silent", prettyErrors: false } as const;
    const documents = yaml().parseAllDocuments(text, options);
    return Array.isArray(documents) ? documents.map((each) => convert(each.contents, new Map())) : [];
  } catch {
    // Nested deeper than the stack is.
    return [UNKNOWN];
  }
}

function convert(node: unknown, anchors: Map<string, Tree>): Tree {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return anchors.get(node.source) ?? UNKNOWN;
  let tree: Tree = UNKNOWN;
  if (isScalar(node)) tree = scalarTree(node.value);
  else if (isSeq(node)) tree = node.items.map((item) => convert(item, anchors));
  else if (isMap(node)) {
    const merged: Members["members"][number][] = [];
    const own: Members["members"][number][] = [];
    for (const pair of node.items as Pair[]) {
      const key = keyOf(pair.key as Node | null, anchors);
      const value = convert(pair.value, anchors);
      if (key !== "<<") own.push([key, value]);
      // Of several merged mappings the first counts.
      else for (const map of mergedMaps(value)) merge(map, merged);
    }
    tree = { members: [...merged, ...own] };
  }
  const { anchor } = node as { anchor?: string };
  if (anchor !== undefined) anchors.set(anchor, tree);
  return tree;
}

/** Equal members are merged once, and no more than a hostile text needs to be slow with: they show at their anchor. */
function merge(map: Tree, into: Members["members"][number][]): void {
  const known = new Map<string, Tree[]>();
  for (const [key, value] of into) known.set(key, [...(known.get(key) ?? []), value]);
  for (const member of members(map)) {
    if (into.length >= MOST_MERGED) return;
    const [key, value] = member;
    if (known.get(key)?.includes(value)) continue;
    into.push(member);
    known.set(key, [...(known.get(key) ?? []), value]);
  }
}

const mergedMaps = (value: Tree): readonly Tree[] => (isList(value) ? value.toReversed() : [value]);

function keyOf(node: Node | null, anchors: Map<string, Tree>): string {
  const key = convert(node, anchors);
  const text = scalar(key);
  return typeof text === "string" ? text : key === null ? "" : "?";
}

function scalarTree(value: unknown): Tree {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "symbol") return value.description ?? UNKNOWN;
  // `!!binary` gives a Buffer, which is its text.
  return value === undefined || value === null ? null : String(value);
}
