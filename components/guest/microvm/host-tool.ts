import { guestFolder } from "../../render/nixos/host-paths.ts";

/** Where `scripts/host/hermes-microvm` stands on the NixOS host: in the folder of its guest, so that two stacks on one host do not share it. */
export function hostTool(hostname: string): string {
  return `${guestFolder(hostname)}/bin/hermes-microvm`;
}
