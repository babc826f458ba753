{
  description = "Stands in for microvm.nix in the lab: its guest options and assertions, with a runner of the lab";

  # A real guest's flake makes this follow its own nixpkgs; nothing of it is used here.
  inputs.nixpkgs.url = "path:../nixpkgs";

  outputs =
    { ... }:
    {
      nixosModules.microvm = ./module.nix;
    };
}
