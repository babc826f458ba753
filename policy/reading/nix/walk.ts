import { type Known, type Leaf, type Setting, type Text, UNKNOWN } from "../content.ts";
import { isWriting, nameOf, standIns } from "./functions.ts";
import { startsModule } from "./modules.ts";
import { rendered } from "./render.ts";
import { type Fuel, newFuel, resolved } from "./resolve.ts";
import { argumentsOf, type Scope, scopeOf } from "./scope.ts";
import type { Bind, Key, Nix, NixOf } from "./syntax.ts";
import { carriedText, writtenText } from "./texts.ts";

/** Names are followed so many times; what they stand for is found where it is written anyway. */
const MOST_FOLLOWED = 5000;
/** What is nested deeper is unknown. A name that is followed counts as several levels: it may lead back to itself. */
const DEEPEST = 400;
const LEVELS_OF_A_NAME = 4;

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** A setting; of a text that is known in part also that part, with `UNKNOWN_NIX_VALUE` in it. */
export interface NixSetting extends Setting {
  readonly shown?: string;
}
export interface Walked {
  readonly settings: NixSetting[];
  readonly texts: Text[];
}

/**
 * Every attribute and text of an expression. What a condition decides is taken both ways, what is merged is taken
 * together. A module inside of something else (`modules`, `imports`, a guest's `config`) starts a path of its own.
 */
export function walkNix(tree: Nix, at: string): Walked {
  const walker = new Walker(at);
  walker.walk(tree, [], undefined, 0);
  return walker;
}

type Path = readonly string[];

class Walker implements Walked {
  readonly settings: NixSetting[] = [];
  readonly texts: Text[] = [];
  readonly #at: string;
  readonly #fuel: Fuel = newFuel();
  #follow = MOST_FOLLOWED;

  constructor(at: string) {
    this.#at = at;
  }

  walk(node: Nix, path: Path, scope: Scope | undefined, depth: number): void {
    if (depth > DEEPEST) {
      this.#leaf(path, UNKNOWN);
      return;
    }
    const next = depth + 1;
    switch (node.kind) {
      case "scalar":
        this.#leaf(path, node.value);
        return;
      case "string":
        this.#text(node, path, scope);
        this.#interpolations(node, path, scope, next);
        return;
      case "name":
        if (CONSTANTS.has(node.name)) this.#leaf(path, CONSTANTS.get(node.name) ?? null);
        else this.#named(node, path, scope, next);
        return;
      case "select":
        this.#named(node, path, scope, next);
        return;
      case "set":
        if (node.binds.length === 0) this.#leaf(path, {});
        else this.#binds(node.binds, path, node.recursive ? scopeOf(node.binds, scope) : scope, scope, next);
        return;
      case "let": {
        const inside = scopeOf(node.binds, scope);
        this.#binds(node.binds, [], inside, scope, next);
        this.walk(node.body, path, inside, next);
        return;
      }
      case "function": {
        const inside = argumentsOf(node.names, scope);
        for (const { path: name, value } of node.defaults) this.walk(value, name.map(String), inside, next);
        this.walk(node.body, node.open ? [] : path, inside, next);
        return;
      }
      case "list":
        if (node.items.length === 0) this.#leaf(path, []);
        else this.#items(node, path, scope, 0, next);
        return;
      case "either":
        for (const item of node.items) this.walk(item, path, scope, next);
        return;
      case "apply":
        this.#apply(node, path, scope, next);
        return;
      case "join":
        this.#join(node, path, scope, next);
        return;
      case "unknown":
        this.#leaf(path, UNKNOWN);
        for (const item of node.items) this.#inside(item, path, scope, next);
    }
  }

  #leaf(path: Path, value: Known<Leaf>, shown?: string): void {
    const at = path.length === 0 ? this.#at : `${this.#at} › ${path.join(".")}`;
    this.settings.push({ path, value, at, ...(shown === undefined ? {} : { shown }) });
  }

  #binds(
    binds: readonly Bind[],
    path: Path,
    inside: Scope | undefined,
    outside: Scope | undefined,
    depth: number,
  ): void {
    for (const { path: keys, value, inherited } of binds) {
      const full = [...path, ...keys.map((key) => this.#key(key, inside))];
      this.walk(value, startsModule(full) ? [] : full, inherited ? outside : inside, depth);
    }
  }

  #key(key: Key, scope: Scope | undefined): string {
    return typeof key === "string" ? key : (rendered(key, scope, this.#fuel)?.text ?? "?");
  }

  #named(node: Nix, path: Path, scope: Scope | undefined, depth: number): void {
    const found = this.#follow > 0 ? resolved(node, scope, this.#fuel) : undefined;
    if (found === undefined || found.node === node) {
      this.#leaf(path, UNKNOWN);
      return;
    }
    this.#follow -= 1;
    this.walk(found.node, path, found.scope, depth + LEVELS_OF_A_NAME);
  }

  #text(node: Nix, path: Path, scope: Scope | undefined): void {
    const found = rendered(node, scope, this.#fuel);
    if (found === undefined) {
      this.#leaf(path, UNKNOWN);
      return;
    }
    this.#leaf(path, found.known ? found.text : UNKNOWN, found.known ? undefined : found.text);
    const text = carriedText(path, found.text, this.#at);
    if (text !== undefined) this.texts.push(text);
  }

  /** Operands of something that isn't understood: the sets and texts in them count, a bare name says nothing. */
  #inside(node: Nix, path: Path, scope: Scope | undefined, depth: number): void {
    if (node.kind === "name" || node.kind === "select" || node.kind === "scalar") return;
    if (node.kind === "apply") this.#arguments(node, path, scope, depth);
    else this.walk(node, path, scope, depth);
  }

  #items(list: NixOf<"list">, path: Path, scope: Scope | undefined, from: number, depth: number): void {
    const modules = path.at(-1) === "modules" || path.at(-1) === "imports";
    for (const [index, item] of list.items.entries())
      this.walk(item, modules && item.kind === "set" ? [] : [...path, String(from + index)], scope, depth);
  }

  #join(node: NixOf<"join">, path: Path, scope: Scope | undefined, depth: number): void {
    if (node.op === "+") {
      this.#text(node, path, scope);
      for (const item of node.items) this.#interpolations(item, path, scope, depth);
      return;
    }
    let index = 0;
    for (const item of node.items) {
      const list = node.op === "++" ? resolved(item, scope, this.#fuel) : undefined;
      if (list?.node.kind === "list") {
        this.#items(list.node, path, list.scope, index, depth);
        index += list.node.items.length;
      } else this.walk(item, path, scope, depth);
    }
  }

  #apply(node: NixOf<"apply">, path: Path, scope: Scope | undefined, depth: number): void {
    const text = rendered(node, scope, this.#fuel);
    const found = standIns(node, text !== undefined);
    if (found !== undefined) {
      for (const { node: argument, index } of found)
        this.walk(argument, index === undefined ? path : [...path, String(index)], scope, depth);
      return;
    }
    this.#text(node, path, scope);
    // What a known text was made of says no more than the text.
    if (!text?.known || isWriting(nameOf(node.fn))) this.#arguments(node, path, scope, depth);
  }

  #arguments(node: NixOf<"apply">, path: Path, scope: Scope | undefined, depth: number): void {
    const name = nameOf(node.fn);
    if (isWriting(name)) {
      const written = writtenText(
        name,
        node.args,
        (part) => rendered(part, scope, this.#fuel)?.text,
        this.#at,
      );
      if (written !== undefined) this.texts.push(written);
    }
    if (node.fn.kind !== "name" && node.fn.kind !== "select") this.#inside(node.fn, path, scope, depth);
    for (const arg of node.args) {
      // What is written to a file of its own is not the attribute's text.
      if (isWriting(name) && arg.kind === "string") this.#interpolations(arg, path, scope, depth);
      else this.#inside(arg, path, scope, depth);
    }
  }

  #interpolations(node: Nix, path: Path, scope: Scope | undefined, depth: number): void {
    const parts = node.kind === "string" ? node.parts : [node];
    for (const part of parts) {
      if (typeof part === "string") continue;
      const writes = part.kind === "apply" && isWriting(nameOf(part.fn));
      if (writes || !rendered(part, scope, this.#fuel)?.known) this.#inside(part, path, scope, depth);
    }
  }
}
