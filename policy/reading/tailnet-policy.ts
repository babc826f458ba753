import { type Known, type Placed, UNKNOWN } from "./content.ts";
import { parseJson } from "./data/json.ts";
import { isList, isMembers, items, members, scalar, type Tree } from "./data/payload.ts";

type Words = readonly Known<string>[];

export interface Grant extends Placed {
  readonly src: Words;
  readonly dst: Words;
  readonly ip: Words;
  /** Names of the application capabilities. */
  readonly app: readonly string[];
  readonly via: Words;
  readonly srcPosture: Words;
}
/** A rule of before there were grants; `users` and `ports` are its oldest names for `src` and `dst`. */
export interface Acl extends Placed {
  readonly action: Words;
  readonly src: Words;
  readonly dst: Words;
  readonly proto: Words;
  readonly srcPosture: Words;
}
export interface NodeAttribute extends Placed {
  readonly target: Words;
  readonly attr: Words;
  readonly app: readonly string[];
}
export interface AutoApprover extends Placed {
  readonly kind: "routes" | "services" | "exitNode";
  /** A prefix or a service; empty for exit nodes. */
  readonly name: string;
  readonly approvers: Words;
}
export interface TailnetPolicy {
  readonly grants: readonly Grant[];
  readonly acls: readonly Acl[];
  readonly nodeAttrs: readonly NodeAttribute[];
  readonly autoApprovers: readonly AutoApprover[];
}

const SECTIONS = new Set(
  ["acls", "grants", "nodeattrs", "autoapprovers", "tagowners", "groups", "hosts", "ssh", "postures"].concat([
    "ipsets",
    "tests",
    "sshtests",
    "derpmap",
    "defaultsrcposture",
    "randomizeclientport",
  ]),
);

/**
 * A tailnet's policy file, as HuJSON text or as data; undefined for what holds none of its sections. Tailscale makes
 * plain JSON of it and decodes that with Go, which matches names whatever their case (https://pkg.go.dev/encoding/json#Unmarshal).
 * Of a name given twice everything is reported: the last one counts for Go, but not for everybody who reads the file.
 */
export function tailnetPolicy(source: string | Tree, at = ""): TailnetPolicy | undefined {
  const tree = typeof source === "string" ? parseJson(source) : source;
  if (!isMembers(tree) || !tree.members.some(([key]) => SECTIONS.has(folded(key)))) return undefined;
  const place = (path: string): string => (at === "" ? path : `${at} › ${path}`);
  const section = (name: string): { rule: Tree; at: string }[] =>
    named(tree, name).flatMap(({ key, value }) =>
      items(value).map((rule, index) => ({ rule, at: place(`${key}[${index}]`) })),
    );
  return {
    grants: section("grants").map(({ rule, at: where }) => ({
      at: where,
      src: words(rule, "src"),
      dst: words(rule, "dst"),
      ip: words(rule, "ip"),
      app: names(rule, "app"),
      via: words(rule, "via"),
      srcPosture: words(rule, "srcposture"),
    })),
    acls: section("acls").map(({ rule, at: where }) => ({
      at: where,
      action: words(rule, "action"),
      src: [...words(rule, "src"), ...words(rule, "users")],
      dst: [...words(rule, "dst"), ...words(rule, "ports")],
      proto: words(rule, "proto"),
      srcPosture: words(rule, "srcposture"),
    })),
    nodeAttrs: section("nodeattrs").map(({ rule, at: where }) => ({
      at: where,
      target: words(rule, "target"),
      attr: words(rule, "attr"),
      app: names(rule, "app"),
    })),
    autoApprovers: named(tree, "autoapprovers").flatMap(({ key, value }) => [
      ...approvers("routes", value, place(key)),
      ...approvers("services", value, place(key)),
      ...named(value, "exitnode").map(({ key: inner, value: list }) => ({
        kind: "exitNode" as const,
        name: "",
        approvers: flat(list),
        at: `${place(key)}.${inner}`,
      })),
    ]),
  };
}

function approvers(kind: "routes" | "services", value: Tree, at: string): AutoApprover[] {
  return named(value, kind).flatMap(({ key, value: map }) =>
    members(map).map(([name, list]) => ({ kind, name, approvers: flat(list), at: `${at}.${key}.${name}` })),
  );
}

/** Go folds by Unicode: the long s is an s, and the Kelvin sign a k. */
const folded = (key: string): string => key.replaceAll("ſ", "s").replaceAll("\u212a", "k").toLowerCase();

const named = (tree: Tree, name: string): { key: string; value: Tree }[] =>
  members(tree).flatMap(([key, value]) => (folded(key) === name ? [{ key, value }] : []));

const words = (rule: Tree, name: string): Words => named(rule, name).flatMap(({ value }) => flat(value));
const names = (rule: Tree, name: string): readonly string[] =>
  named(rule, name).flatMap(({ value }) => members(value).map(([key]) => key));

function flat(value: Tree): Words {
  const list: readonly Tree[] = isList(value) ? value : [value];
  return list.flatMap((item) => {
    const word = isList(item) || isMembers(item) ? UNKNOWN : scalar(item);
    return word === undefined ? [] : [word];
  });
}
