/** A file of the guest's flake. It lies readable on the host and in the Nix store: no secret may stand in it. */
export interface FlakeFile {
  /** Name in the flake's folder. */
  readonly name: string;
  readonly text: string;
}
