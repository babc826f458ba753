# The functions of nixpkgs' lib that the guest's modules use, under the same names.
let
  lib = import ./functions.nix // import ./modules.nix { inherit lib; } // {
    types = import ./types.nix { inherit lib; };
  };
in
lib
