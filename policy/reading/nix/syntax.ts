/** What is kept of a Nix expression: enough to find settings and texts in it, not to evaluate it. */
export type Nix =
  | { readonly kind: "string"; readonly parts: readonly (string | Nix)[] }
  | { readonly kind: "scalar"; readonly value: string | number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "set"; readonly binds: readonly Bind[]; readonly recursive: boolean }
  | { readonly kind: "list"; readonly items: readonly Nix[] }
  | { readonly kind: "let"; readonly binds: readonly Bind[]; readonly body: Nix }
  | { readonly kind: "select"; readonly from: Nix; readonly path: readonly Key[]; readonly otherwise?: Nix }
  | { readonly kind: "apply"; readonly fn: Nix; readonly args: readonly Nix[] }
  | { readonly kind: "join"; readonly op: "+" | "++" | "//"; readonly items: readonly Nix[] }
  | { readonly kind: "either"; readonly items: readonly Nix[] }
  | {
      readonly kind: "function";
      readonly names: readonly string[];
      readonly defaults: readonly Bind[];
      /** Its head ends in `...`: so do those of modules and of a flake's outputs. */
      readonly open: boolean;
      readonly body: Nix;
    }
  | { readonly kind: "unknown"; readonly items: readonly Nix[] };

export type NixOf<Kind extends Nix["kind"]> = Extract<Nix, { kind: Kind }>;

/** An attribute's name; an expression where it is computed. */
export type Key = string | Nix;
export interface Bind {
  readonly path: readonly Key[];
  readonly value: Nix;
  /** `inherit x`: the name is looked up outside of the set that it stands in. */
  readonly inherited?: boolean;
}
const KEYWORDS: ReadonlySet<string> = new Set("if then else assert with let in rec inherit or".split(" "));
export const isKeyword = (name: string): boolean => KEYWORDS.has(name);
