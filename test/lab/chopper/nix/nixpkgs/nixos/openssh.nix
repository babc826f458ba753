{ lib, config, ... }:
let
  inherit (lib) mkOption types;
  cfg = config.services.openssh;

  # NixOS refuses what sshd would misread: `PasswordAuthentication = "no"` is not a boolean.
  yesOrNo =
    default:
    mkOption {
      type = types.nullOr types.bool;
      inherit default;
    };
in
{
  options.services.openssh = {
    enable = lib.mkEnableOption "the OpenSSH secure shell daemon";
    ports = mkOption {
      type = types.listOf types.port;
      default = [ 22 ];
    };
    openFirewall = mkOption {
      type = types.bool;
      default = true;
    };
    hostKeys = mkOption {
      type = types.listOf (
        types.submodule {
          options = {
            path = mkOption { type = types.str; };
            type = mkOption {
              type = types.enum [
                "ed25519"
                "rsa"
                "ecdsa"
              ];
            };
            bits = mkOption {
              type = types.nullOr types.int;
              default = null;
            };
            comment = mkOption {
              type = types.nullOr types.str;
              default = null;
            };
          };
        }
      );
      default = [
        {
          type = "rsa";
          bits = 4096;
          path = "/etc/ssh/ssh_host_rsa_key";
        }
        {
          type = "ed25519";
          path = "/etc/ssh/ssh_host_ed25519_key";
        }
      ];
    };
    settings = mkOption {
      type = types.submodule {
        freeformType = types.attrsOf (
          types.nullOr (
            types.oneOf [
              types.bool
              types.int
              types.str
            ]
          )
        );
        options = {
          LogLevel = mkOption {
            type = types.enum [
              "QUIET"
              "FATAL"
              "ERROR"
              "INFO"
              "VERBOSE"
              "DEBUG"
            ];
            default = "INFO";
          };
          UsePAM = yesOrNo true;
          UseDns = yesOrNo false;
          X11Forwarding = yesOrNo false;
          PasswordAuthentication = yesOrNo true;
          KbdInteractiveAuthentication = yesOrNo true;
          PermitRootLogin = mkOption {
            type = types.enum [
              "yes"
              "without-password"
              "prohibit-password"
              "forced-commands-only"
              "no"
            ];
            default = "prohibit-password";
          };
        };
      };
      default = { };
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = [
      {
        assertion = cfg.hostKeys != [ ];
        message = "services.openssh.hostKeys is empty: sshd does not start without a host key.";
      }
    ];
  };
}
