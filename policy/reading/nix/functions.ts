import type { Nix, NixOf } from "./syntax.ts";

/** Functions of `lib` for definitions of options: they change a definition's rank, not its value. */
const RANKING =
  /^mk(If|Force|Default|Override|Before|After|Order|VMOverride|ImageMediaOverride|DefaultText)$/;
/** Functions that give what they are given last, more or less. */
const PASSING =
  /^(optionalAttrs|optionalString|id|trim|removeSuffix|removePrefix|toLower|toString|escapeShellArg|escapeSystemdExecArg|traceVal|trace|seq|deepSeq|nixosModule)$/;

export const isRanked = (name: string): boolean => RANKING.test(name);
export const isPassing = (name: string): boolean => RANKING.test(name) || PASSING.test(name);

/** `writeText`, `writeShellScriptBin`, `writePython3`, …: they put a text into a file of its own. */
export const isWriting = (name: string): boolean => /^write[A-Z]\w*$/.test(name);

/** The last part of what a function is called by: `mkIf` of `lib.mkIf`. */
export function nameOf(fn: Nix): string {
  if (fn.kind === "name") return fn.name;
  const last = fn.kind === "select" ? fn.path.at(-1) : undefined;
  return typeof last === "string" ? last : "";
}

/** An argument that stands for a call's value, at `index` when it is one of a list's items. */
export interface StandIn {
  readonly node: Nix;
  readonly index?: number;
}

/** The arguments that a call may come to: `x` of `mkIf c x`. Undefined for a call that is not of this kind. */
export function standIns(call: NixOf<"apply">, isText: boolean): readonly StandIn[] | undefined {
  const name = nameOf(call.fn);
  const last = call.args.at(-1);
  if (last === undefined) return undefined;
  if (isRanked(name) || (isPassing(name) && !isText) || name === "optionals") return [{ node: last }];
  if (name === "optional") return [{ node: last, index: 0 }];
  return last.kind === "list" && (name === "mkMerge" || name === "concatLists")
    ? last.items.map((node) => ({ node }))
    : undefined;
}
