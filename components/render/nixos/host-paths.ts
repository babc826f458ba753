/** What the NixOS host keeps of a guest besides microvm.nix's own folder: the tool, the flake, the images that last. */
export function guestFolder(hostname: string): string {
  return `/var/lib/hermes-microvm/guests/${hostname}`;
}
