import type { CommandSpec } from "../command/command-spec.ts";
import type { LaunchSpec } from "../container/launch-spec.ts";

/** A text file in the guest. */
export interface PartFile {
  /** Absolute path in the guest. */
  readonly path: string;
  /** Octal permission bits, as in `0644`. */
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  readonly content: string;
}

/** A systemd unit that a part brings. */
export interface PartUnit {
  readonly name: string;
  /** False for units that a generator makes (Quadlet): systemd cannot enable those. */
  readonly enable: boolean;
}

/**
 * Something to install in a guest, as data and apart from any backend: either plain files and units, or a spec that
 * each backend renders in its own form (a Quadlet unit, a NixOS module): of the container's launch, of the command.
 */
export type Part =
  | { readonly name: string; readonly launch: LaunchSpec }
  | { readonly name: string; readonly command: CommandSpec }
  | ({ readonly name: string } & FilePart);

export interface FilePart {
  /** Debian packages that must be there. */
  readonly packages: readonly string[];
  /** Images that must be in the guest's store before anything live is touched. */
  readonly images: readonly string[];
  readonly files: readonly PartFile[];
  /** Started when first installed; restarted when a file of this part changed. In order. */
  readonly units: readonly PartUnit[];
}

/** When a deploy counts as done. */
export interface Readiness {
  /** The unit that must be active and stay so. */
  readonly unit: string;
  /** Answers JSON with a `version` once Hermes serves; dialled inside the guest. */
  readonly url: string;
  /** Seconds until the previous version is put back. */
  readonly timeoutSeconds: number;
}
