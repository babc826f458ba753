{ lib, config, ... }:
let
  inherit (lib) mkOption types;
  cfg = config.security.sudo;

  strings = mkOption {
    type = types.listOf types.str;
    default = [ ];
  };
  command = types.either types.str (
    types.submodule {
      options = {
        command = mkOption { type = types.str; };
        options = mkOption {
          type = types.listOf (
            types.enum [
              "NOPASSWD"
              "PASSWD"
              "NOEXEC"
              "EXEC"
              "SETENV"
              "NOSETENV"
              "LOG_INPUT"
              "NOLOG_INPUT"
              "LOG_OUTPUT"
              "NOLOG_OUTPUT"
            ]
          );
          default = [ ];
        };
      };
    }
  );

  commandText =
    command:
    if lib.isString command then
      command
    else
      lib.concatMapStrings (option: "${option}: ") command.options + command.command;
  ruleText =
    rule:
    lib.optional (rule.commands != [ ]) (
      "${
        lib.concatStringsSep ", " (rule.users ++ map (group: "%${group}") rule.groups)
      } ${rule.host}=(${rule.runAs}) ${lib.concatMapStringsSep ", " commandText rule.commands}"
    );
in
{
  options.security.sudo = {
    enable = mkOption {
      type = types.bool;
      default = true;
    };
    wheelNeedsPassword = mkOption {
      type = types.bool;
      default = true;
    };
    extraRules = mkOption {
      type = types.listOf (
        types.submodule {
          options = {
            users = strings;
            groups = strings;
            host = mkOption {
              type = types.str;
              default = "ALL";
            };
            runAs = mkOption {
              type = types.str;
              default = "ALL:ALL";
            };
            commands = mkOption { type = types.listOf command; };
          };
        }
      );
      default = [ ];
    };
    extraConfig = mkOption {
      type = types.lines;
      default = "";
    };
    # What becomes /etc/sudoers. sudo takes the last rule that fits, so the order matters: root and wheel first.
    configFile = mkOption { type = types.lines; };
  };

  config = lib.mkIf cfg.enable {
    security.sudo.configFile =
      lib.concatLines (
        [
          "root ALL=(ALL:ALL) SETENV: ALL"
          "%wheel ALL=(ALL:ALL) ${lib.optionalString (!cfg.wheelNeedsPassword) "NOPASSWD: "}SETENV: ALL"
        ]
        ++ lib.concatMap ruleText cfg.extraRules
      )
      + cfg.extraConfig;
  };
}
