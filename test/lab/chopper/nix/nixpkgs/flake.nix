{
  description = "Stands in for nixpkgs in the lab: a few options and functions, as strict as the real ones";

  outputs =
    { ... }:
    let
      lib = import ./lib;
    in
    {
      lib = lib // {
        nixosSystem = import ./nixos { inherit lib; };
      };
    };
}
