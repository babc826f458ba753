/** Where `scripts/host/hermes-microvm` stands on the NixOS host: in the folder of its guest, so that two stacks on one host do not share it. */
export function hostTool(hostname: string): string {
  return `${guestFolder(hostname)}/bin/hermes-microvm`;
}

/** What the host keeps of a guest besides microvm.nix's own folder: the flake, the images of persistent disks. */
export function guestFolder(hostname: string): string {
  return `/var/lib/hermes-microvm/guests/${hostname}`;
}
