import type { Content, Known } from "../reading/content.ts";

/** A property's value with nothing hidden: secrets in plain, `UNKNOWN` for what is not known yet, an asset as its text. */
export type Value = Known<string | number | boolean | null | undefined | readonly Value[] | Values>;
export interface Values {
  readonly [key: string]: Value;
}

/** What a gate sees of a resource: its inputs, and what stands in them. */
export interface Resource {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  /** The components around it, from the outside in, without the stack itself. */
  readonly around: readonly Resource[];
  readonly protect: boolean;
  readonly props: Values;
  /** What the resource's texts and structured properties say. */
  readonly content: Content;
}

/** The resources of this run that gates compare with each other, each as it was registered last. */
export interface Stack {
  /** Those of a type that were registered so far, in that order. */
  of(type: string): readonly Resource[];
  /** All that were registered so far. */
  readonly all: readonly Resource[];
  /** A value of the stack's configuration (`hermes:guest`), parsed when it is structured; undefined when it is not set. */
  config(key: string): unknown;
}
