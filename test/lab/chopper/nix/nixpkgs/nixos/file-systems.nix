{ lib, ... }:
let
  inherit (lib) mkOption types;
in
{
  options.fileSystems = mkOption {
    type = types.attrsOf (
      types.submodule {
        options = {
          device = mkOption { type = types.nonEmptyStr; };
          fsType = mkOption { type = types.nonEmptyStr; };
          options = mkOption {
            type = types.listOf types.nonEmptyStr;
            default = [ "defaults" ];
          };
          neededForBoot = mkOption {
            type = types.bool;
            default = false;
          };
        };
      }
    );
    default = { };
  };
}
