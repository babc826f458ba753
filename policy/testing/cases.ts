import { UNKNOWN } from "../reading/content.ts";

/** A resource as a program would write it. */
export interface CaseResource {
  readonly type: string;
  /** Default: `it`. */
  readonly name?: string;
  readonly props: Readonly<Record<string, unknown>>;
  readonly protect?: boolean;
  /** Type and name of another resource of the case. */
  readonly parent?: readonly [type: string, name: string];
}

/** Resources that a gate lets through or refuses, registered in this order; a refusal is of at least one of them. */
export interface Case {
  readonly title: string;
  readonly resources: readonly [CaseResource, ...CaseResource[]];
  /** The gate's settings where they differ from its defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The stack's configuration, keys with their namespace, structured values as JSON. */
  readonly config?: Readonly<Record<string, string>>;
  /** Texts that the refusal must contain, in this order. */
  readonly says?: readonly string[];
  /** How many problems are told in all. Default: one or more. */
  readonly times?: number;
}

/**
 * The cases of a gate. Unit tests, the tests on the real engine and the mutation check run the same ones. In properties,
 * `unknown` is a value that is not known yet, and `secret(value)` one that is marked secret.
 */
export interface GateCases {
  /** What the gate must be: to weaken it to advice is to open it. */
  readonly level: "mandatory" | "advisory";
  readonly refuses: readonly Case[];
  readonly allows: readonly Case[];
}

export const unknown: typeof UNKNOWN = UNKNOWN;

export class Secret {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
export const secret = (value: unknown): Secret => new Secret(value);
