# Stands in for `nixpkgs.lib.nixosSystem`: the options that a guest of ours uses, and a few beside them.
{ lib }:
{
  system,
  modules,
  specialArgs ? { },
}:
let
  pkgs = import ../pkgs.nix { inherit lib system; };
in
lib.evalModules {
  modules = [
    ./assertions.nix
    ./environment.nix
    ./file-systems.nix
    ./networking.nix
    ./oci-containers.nix
    ./openssh.nix
    ./sudo.nix
    ./systemd.nix
    ./tailscale.nix
    ./toplevel.nix
    ./users.nix
  ]
  ++ modules;
  specialArgs = { inherit pkgs; } // specialArgs;
}
