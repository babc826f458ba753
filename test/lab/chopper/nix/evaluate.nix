# The whole configuration as data for `--json`: a package is { name, text } instead of a derivation. Its arguments
# are those of system.nix. Failed assertions are refused here as they are when the system is built.
{
  flakeFolder ? null,
  modules ? null,
  name ? null,
}@arguments:
let
  lib = import ./nixpkgs/lib;
  inherit (import ./system.nix arguments) config;
  plain =
    value:
    if lib.isDerivation value then
      { inherit (value) name; } // lib.optionalAttrs (value ? text) { inherit (value) text; }
    else if builtins.isPath value then
      toString value
    else if lib.isAttrs value then
      lib.mapAttrs (_: plain) value
    else if lib.isList value then
      map plain value
    else
      value;
  data = plain (
    removeAttrs config [ "assertions" ]
    // {
      microvm = removeAttrs config.microvm [ "declaredRunner" ];
      system = removeAttrs config.system [ "build" ];
    }
  );
in
builtins.seq config.microvm.declaredRunner data
