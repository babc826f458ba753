{ lib, config, ... }:
let
  inherit (lib) mkOption types;
  cfg = config.users;

  user =
    { name, config, ... }:
    {
      options = {
        name = mkOption {
          type = types.strMatching "[a-z_][a-z0-9_-]{0,30}";
          default = name;
        };
        uid = mkOption {
          type = types.nullOr types.int;
          default = null;
        };
        description = mkOption {
          type = types.singleLineStr;
          default = "";
        };
        isNormalUser = flag;
        isSystemUser = flag;
        createHome = flag;
        useDefaultShell = flag;
        group = mkOption {
          type = types.str;
          default = "";
        };
        extraGroups = names;
        home = mkOption {
          type = types.path;
          default = "/var/empty";
        };
        shell = mkOption {
          type = types.path;
          default = "/run/current-system/sw/bin/nologin";
        };
        hashedPassword = mkOption {
          type = types.nullOr types.singleLineStr;
          default = null;
        };
        openssh.authorizedKeys.keys = mkOption {
          type = types.listOf types.singleLineStr;
          default = [ ];
        };
      };
      config = lib.mkMerge [
        (lib.mkIf config.isNormalUser {
          group = lib.mkDefault "users";
          createHome = lib.mkDefault true;
          home = lib.mkDefault "/home/${config.name}";
          useDefaultShell = lib.mkDefault true;
        })
        (lib.mkIf config.useDefaultShell { shell = lib.mkDefault "/run/current-system/sw/bin/bash"; })
      ];
    };

  group =
    { name, ... }:
    {
      options = {
        name = mkOption {
          type = types.strMatching "[a-z_][a-z0-9_-]{0,30}";
          default = name;
        };
        gid = mkOption {
          type = types.nullOr types.int;
          default = null;
        };
        members = names;
      };
    };

  flag = mkOption {
    type = types.bool;
    default = false;
  };
  names = mkOption {
    type = types.listOf types.str;
    default = [ ];
  };

  all = lib.attrValues cfg.users;
  # An account that someone can log in to and become root.
  isWayIn =
    user:
    (user.name == "root" || lib.elem "wheel" user.extraGroups || user.group == "wheel")
    && (user.hashedPassword != null || user.openssh.authorizedKeys.keys != [ ]);
in
{
  options.users = {
    mutableUsers = mkOption {
      type = types.bool;
      default = true;
    };
    users = mkOption {
      type = types.attrsOf (types.submodule user);
      default = { };
    };
    groups = mkOption {
      type = types.attrsOf (types.submodule group);
      default = { };
    };
  };

  config = {
    users.users.root = {
      uid = 0;
      isSystemUser = true;
      group = "root";
      home = "/root";
      useDefaultShell = true;
    };
    users.groups = {
      root = { };
      systemd-journal = { };
      users = { };
      wheel = { };
    };

    assertions =
      lib.concatMap (user: [
        {
          assertion = user.isNormalUser != user.isSystemUser;
          message = "Exactly one of users.users.${user.name}.isSystemUser and users.users.${user.name}.isNormalUser must be set.";
        }
        {
          assertion = user.group != "";
          message = "users.users.${user.name}.group is unset. This used to default to nogroup, but this is unsafe. For example you can create a group for this user with: users.users.${user.name}.group = \"${user.name}\"; users.groups.${user.name} = {};";
        }
      ]) all
      # NixOS creates no group that nobody declared, and says so only when the system is activated.
      ++ lib.concatMap (
        user:
        map (group: {
          assertion = cfg.groups ? ${group};
          message = "users.users.${user.name} is in the group `${group}', which nothing declares: set users.groups.${group} = { };";
        }) (lib.optional (user.group != "") user.group ++ user.extraGroups)
      ) all
      ++ [
        {
          assertion = !cfg.mutableUsers -> lib.any isWayIn all;
          message = "Neither the root account nor any wheel user has a password or SSH authorized key. You must set one to prevent being locked out of your system.";
        }
      ];
  };
}
