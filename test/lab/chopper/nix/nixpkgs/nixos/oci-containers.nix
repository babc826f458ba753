# Containers as systemd services. The command, its order and the service's settings are those that NixOS'
# virtualisation.oci-containers makes for podman: what this prints is what a NixOS guest would run.
{
  lib,
  config,
  ...
}:
let
  inherit (lib)
    escapeShellArg
    mkOption
    optional
    types
    ;
  cfg = config.virtualisation.oci-containers;

  strings = mkOption {
    type = types.listOf types.str;
    default = [ ];
  };
  textSet = mkOption {
    type = types.attrsOf types.str;
    default = { };
  };
  perhaps =
    type:
    mkOption {
      type = types.nullOr type;
      default = null;
    };

  container =
    { name, ... }:
    {
      options = {
        image = mkOption { type = types.str; };
        serviceName = mkOption {
          type = types.str;
          default = "${cfg.backend}-${name}";
        };
        cmd = strings;
        entrypoint = perhaps types.str;
        environment = textSet;
        environmentFiles = mkOption {
          type = types.listOf types.path;
          default = [ ];
        };
        labels = textSet;
        log-driver = mkOption {
          type = types.str;
          default = "journald";
        };
        ports = strings;
        user = perhaps types.str;
        volumes = strings;
        workdir = perhaps types.str;
        hostname = perhaps types.str;
        preRunExtraOptions = strings;
        extraOptions = strings;
        autoStart = mkOption {
          type = types.bool;
          default = true;
        };
        pull = mkOption {
          type = types.enum [
            "always"
            "missing"
            "never"
            "newer"
          ];
          default = "missing";
        };
        capabilities = mkOption {
          type = types.attrsOf (types.nullOr types.bool);
          default = { };
        };
        devices = strings;
        privileged = mkOption {
          type = types.bool;
          default = false;
        };
        autoRemoveOnStop = mkOption {
          type = types.bool;
          default = true;
        };
        networks = strings;
        podman.sdnotify = mkOption {
          type = types.enum [
            "conmon"
            "healthy"
            "container"
          ];
          default = "conmon";
        };
      };
    };

  flags = flag: map (value: "${flag} ${escapeShellArg value}");
  pairs = flag: lib.mapAttrsToList (name: value: "${flag} ${escapeShellArg name}=${escapeShellArg value}");
  withCapability =
    wanted: set: lib.attrNames (lib.filterAttrs (_: value: value == wanted) set);

  runCommand =
    name: container:
    let
      quoted = escapeShellArg name;
      perhapsFlag =
        flag: value: optional (value != null) "${flag}${escapeShellArg value}";
    in
    [ "exec podman " ]
    ++ map escapeShellArg container.preRunExtraOptions
    ++ [
      "run"
      "--name=${quoted}"
      "--log-driver=${container.log-driver}"
    ]
    ++ perhapsFlag "--entrypoint=" container.entrypoint
    ++ perhapsFlag "--hostname=" container.hostname
    ++ [
      "--cidfile=/run/${quoted}/ctr-id"
      "--cgroups=enabled"
      "--sdnotify=${container.podman.sdnotify}"
      "-d"
      "--replace"
    ]
    ++ pairs "-e" container.environment
    ++ flags "--env-file" container.environmentFiles
    ++ flags "-p" container.ports
    ++ perhapsFlag "-u " container.user
    ++ flags "-v" container.volumes
    ++ pairs "-l" container.labels
    ++ perhapsFlag "-w " container.workdir
    ++ optional container.privileged "--privileged"
    ++ optional container.autoRemoveOnStop "--rm"
    ++ map (name: "--cap-add=${escapeShellArg name}") (withCapability true container.capabilities)
    ++ map (name: "--cap-drop=${escapeShellArg name}") (withCapability false container.capabilities)
    ++ map (device: "--device=${escapeShellArg device}") container.devices
    ++ map (network: "--network=${escapeShellArg network}") (lib.unique container.networks)
    ++ [ "--pull ${escapeShellArg container.pull}" ]
    ++ map escapeShellArg container.extraOptions
    ++ [ container.image ]
    ++ map escapeShellArg container.cmd;

  service =
    name: container:
    let
      quoted = escapeShellArg name;
    in
    {
      wantedBy = optional container.autoStart "multi-user.target";
      wants = [ "network-online.target" ];
      after = [ "network-online.target" ];
      path = [ "podman" ];
      # NixOS makes this a script of its own, in front of preStart.
      preStart = ''
        podman rm -f ${name} || true
        rm -f /run/${quoted}/ctr-id
      '';
      script = lib.concatStringsSep " \\\n  " (runCommand name container);
      preStop = "podman stop --ignore --cidfile=/run/${quoted}/ctr-id";
      postStop = "podman rm -f --ignore --cidfile=/run/${quoted}/ctr-id";
      serviceConfig = {
        TimeoutStartSec = 0;
        TimeoutStopSec = 120;
        Restart = "always";
        Environment = "PODMAN_SYSTEMD_UNIT=%n";
        Type = "notify";
        NotifyAccess = "all";
        Delegate = lib.mkIf (container.podman.sdnotify == "healthy") true;
        User = "root";
        RuntimeDirectory = quoted;
      };
    };
in
{
  options.virtualisation = {
    oci-containers = {
      backend = mkOption {
        # NixOS also has docker, which the lab does not.
        type = types.enum [ "podman" ];
        default = "podman";
      };
      containers = mkOption {
        type = types.attrsOf (types.submodule container);
        default = { };
      };
    };
    podman.enable = mkOption {
      type = types.bool;
      default = false;
    };
  };

  config = lib.mkIf (cfg.containers != { }) {
    virtualisation.podman.enable = true;
    users.groups.podman = { };
    systemd.services = lib.mapAttrs' (
      name: container: lib.nameValuePair container.serviceName (service name container)
    ) cfg.containers;
  };
}
