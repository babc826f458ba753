import type { GateConfig } from "../pack/gate.ts";

/** Settings of a gate that lets resources through by their names. */
export interface Exceptions {
  readonly except: readonly string[];
}

/** The setting `except`: none by default. `description` says what may be excepted. */
export const exceptions = (description: string): GateConfig<Exceptions> => ({
  // Stryker disable next-line ArrayDeclaration: the word that it puts in is the name of no resource
  defaults: { except: [] },
  properties: { except: { type: "array", items: { type: "string" }, description } },
});
