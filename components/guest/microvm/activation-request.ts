import type { Readiness } from "../../parts/part.ts";
import { images } from "../../render/nixos/images.ts";
import type { MicrovmArgs } from "./microvm-backend.ts";

/** What `hermes-microvm stage` prints of a file. */
export interface StagedFile {
  readonly file: string;
  readonly sha256: string;
  /** Grows with each different text. */
  readonly revision: number;
}

/** What `hermes-microvm activate` reads: a line a fact, `end` last, so that a request that was cut off is refused. */
export function activationRequest(
  guest: MicrovmArgs,
  files: readonly StagedFile[],
  readiness: Readiness,
): string {
  const lines = [
    ...files.map(({ file, sha256, revision }) => `file ${file} ${sha256} ${revision}`),
    ...images(guest).map(
      ({ path, sizeMiB, persistent }) =>
        `image ${path} ${sizeMiB} ${persistent ? "persistent" : "disposable"}`,
    ),
    `ssh ${sshDestination(guest)}`,
    `mac ${guest.mac}`,
    `tap ${guest.tap}`,
    `cid ${guest.vsockCid}`,
    `autostart ${guest.autostart}`,
    `unit ${readiness.unit}`,
    `timeout ${readiness.timeoutSeconds}`,
    "end",
  ];
  return `${lines.join("\n")}\n`;
}

/** Where systemd's ssh_config leads to the guest: cloud-hypervisor has a socket in the place of an AF_VSOCK address. */
function sshDestination({ hypervisor, hostname, vsockCid }: MicrovmArgs): string {
  return hypervisor === "qemu" ? `vsock/${vsockCid}` : `vsock-mux/var/lib/microvms/${hostname}/notify.vsock`;
}
