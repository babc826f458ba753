import type * as pulumi from "@pulumi/pulumi";
import type { Part, Readiness } from "../parts/part.ts";

/** What a kind of guest must be able to do. A backend registers its resources as children of the guest. */
export interface Backend {
  /** Puts a part in place; nothing live changes. */
  install(part: Part): void;
  /** Makes all installed parts live at once, and waits until Hermes answers. Called once, after every `install`. */
  activate(readiness: Readiness): pulumi.Output<Activation>;
  /** SSH host key that connections are pinned to. */
  readonly hostKey: pulumi.Output<string>;
}

/** What the guest said after an activation. */
export interface Activation {
  /** Version of Hermes, as its dashboard gives it. */
  readonly version: string;
  /** The image that runs. */
  readonly image: string;
}
