// What a stand-in says about one resource type. All values here are plain: the base takes secret marks off
// what comes in and puts them back on what goes out.

import type { Failure } from "./check.ts";
import type { Change } from "./diff.ts";
import type { SdkArgs } from "./sdk-types.ts";
import type { Values } from "./values.ts";

export type Context = {
  readonly urn: string;
  /** The name in the program. */
  readonly name: string;
  readonly config: Values;
  readonly signal: AbortSignal;
  /** A `status` line is shown beside the resource while it works, and then goes. */
  readonly log: (severity: "info" | "warning" | "status", message: string) => void;
};

export type Existing = { readonly id: string; readonly state: Values; readonly oldInputs: Values };
export type Comparison = Existing & { readonly inputs: Values; readonly ignoreChanges: readonly string[] };
export type Difference = {
  readonly changes: readonly (Change & { readonly replace?: boolean })[];
  readonly deleteBeforeReplace?: boolean;
};
export type Created = { readonly id: string; readonly outputs: Values };
export type Found = Created & { readonly inputs: Values };

export type Resource = {
  readonly sdk: SdkArgs;
  readonly secretInputs?: readonly string[];
  readonly secretOutputs?: readonly string[];
  /** Beyond the types; a value may be unknown. */
  readonly check?: (inputs: Values, config: Values) => Failure[];
  /** What the real provider's check adds or changes. Secret marks are still on. */
  readonly normalize?: (inputs: Values) => Values;
  readonly diff: (compared: Comparison) => Difference;
  /** The outputs that a preview can tell; what it cannot is UNKNOWN. */
  readonly preview: (inputs: Values, existing?: Existing) => Values;
  readonly create: (context: Context, inputs: Values) => Promise<Created>;
  /** Undefined: it is gone. Absent: what the state says is so. */
  readonly read?: (context: Context, existing: Existing) => Promise<Found | undefined>;
  readonly update?: (context: Context, compared: Comparison) => Promise<Values>;
  readonly delete?: (context: Context, existing: Existing) => Promise<void>;
};

/** The resource exists, but is not what was asked for: the state keeps it, and the next run goes on from there. */
export class PartialFailure extends Error {
  readonly created: Created;

  constructor(cause: unknown, created: Created) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.created = created;
  }
}
