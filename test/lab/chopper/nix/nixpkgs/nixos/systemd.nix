{ lib, ... }:
let
  inherit (lib) mkOption types;

  strings = mkOption {
    type = types.listOf types.str;
    default = [ ];
  };
  script = mkOption {
    type = types.lines;
    default = "";
  };
  section = mkOption {
    type = types.attrsOf types.unitOption;
    default = { };
  };
  perhaps =
    type:
    mkOption {
      type = types.nullOr type;
      default = null;
    };
  flag =
    default:
    mkOption {
      type = types.bool;
      inherit default;
    };

  unit = {
    enable = flag true;
    description = mkOption {
      type = types.singleLineStr;
      default = "";
    };
    wantedBy = strings;
    requiredBy = strings;
    wants = strings;
    requires = strings;
    bindsTo = strings;
    partOf = strings;
    conflicts = strings;
    after = strings;
    before = strings;
    onFailure = strings;
    unitConfig = section;
    startLimitIntervalSec = perhaps types.int;
    startLimitBurst = perhaps types.int;
  };
in
{
  options.systemd = {
    services = mkOption {
      type = types.attrsOf (
        types.submodule {
          options = unit // {
            serviceConfig = section;
            environment = mkOption {
              type = types.attrsOf (types.nullOr types.str);
              default = { };
            };
            path = mkOption {
              type = types.listOf (types.either types.package types.str);
              default = [ ];
            };
            script = script;
            preStart = script;
            postStart = script;
            preStop = script;
            postStop = script;
            restartIfChanged = flag true;
          };
        }
      );
      default = { };
    };
    timers = mkOption {
      type = types.attrsOf (types.submodule { options = unit // { timerConfig = section; }; });
      default = { };
    };
    paths = mkOption {
      type = types.attrsOf (types.submodule { options = unit // { pathConfig = section; }; });
      default = { };
    };
    tmpfiles.rules = strings;
  };
}
