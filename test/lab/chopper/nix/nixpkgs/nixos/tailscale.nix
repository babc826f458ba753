# Only the options: the lab's guest has no tailnet, and says what it was told to run.
{ lib, ... }:
let
  inherit (lib) mkOption types;
  strings = mkOption {
    type = types.listOf types.str;
    default = [ ];
  };
  perhaps =
    type:
    mkOption {
      type = types.nullOr type;
      default = null;
    };
in
{
  options.services.tailscale = {
    enable = lib.mkEnableOption "Tailscale client daemon";
    port = mkOption {
      type = types.port;
      default = 41641;
    };
    interfaceName = mkOption {
      type = types.str;
      default = "tailscale0";
    };
    permitCertUid = perhaps types.nonEmptyStr;
    openFirewall = mkOption {
      type = types.bool;
      default = false;
    };
    useRoutingFeatures = mkOption {
      type = types.enum [
        "none"
        "client"
        "server"
        "both"
      ];
      default = "none";
    };
    authKeyFile = perhaps types.path;
    authKeyParameters = mkOption {
      type = types.submodule {
        options = {
          ephemeral = perhaps types.bool;
          preauthorized = perhaps types.bool;
          baseURL = perhaps types.str;
        };
      };
      default = { };
    };
    extraUpFlags = strings;
    extraSetFlags = strings;
    extraDaemonFlags = strings;
  };
}
