{ lib, ... }:
let
  inherit (lib) mkOption types;
in
{
  options = {
    environment.systemPackages = mkOption {
      type = types.listOf types.package;
      default = [ ];
    };
    environment.etc = mkOption {
      type = types.attrsOf (
        types.submodule {
          options = {
            text = mkOption { type = types.lines; };
            mode = mkOption {
              type = types.str;
              default = "symlink";
            };
            user = mkOption {
              type = types.str;
              default = "root";
            };
            group = mkOption {
              type = types.str;
              default = "root";
            };
          };
        }
      );
      default = { };
    };
    boot.initrd.kernelModules = mkOption {
      type = types.listOf types.str;
      default = [ ];
    };
    time.timeZone = mkOption {
      type = types.nullOr types.str;
      default = null;
    };
    system.stateVersion = mkOption { type = types.strMatching "[0-9][0-9]\\.(05|11)"; };
  };
}
