# The guest that a flake or a list of modules describes, as nixosSystem returns it. Without flakes, so that a Nix of
# any age evaluates it, also without a store: `nix-instantiate --store dummy:// --eval`.
#   flakeFolder  a folder with a flake.nix whose inputs are nixpkgs and microvm
#   modules      or: the modules themselves
#   name         which of the flake's nixosConfigurations; the only one by default
{
  flakeFolder ? null,
  modules ? null,
  name ? null,
}:
let
  lib = import ./nixpkgs/lib;
  nixosSystem = import ./nixpkgs/nixos { inherit lib; };
  inputs = {
    nixpkgs.lib = lib // {
      inherit nixosSystem;
    };
    microvm = (import ./microvm/flake.nix).outputs { };
  };
  flake = import (flakeFolder + "/flake.nix");
  missing = lib.filter (input: !(inputs ? ${input})) (lib.attrNames (flake.inputs or { }));
  self = flake.outputs (inputs // { inherit self; }) // {
    outPath = flakeFolder;
  };
  names = lib.attrNames self.nixosConfigurations;
in
if modules != null then
  nixosSystem {
    system = "x86_64-linux";
    modules = [ inputs.microvm.nixosModules.microvm ] ++ modules;
  }
else if missing != [ ] then
  throw "The flake has an input that the lab does not have: ${lib.head missing}"
else if name == null && lib.length names != 1 then
  throw "The flake describes ${toString (lib.length names)} systems: say which one."
else
  self.nixosConfigurations.${if name == null then lib.head names else name}
