{ lib, config, ... }:
let
  inherit (lib) mkOption types;
  inherit (config.networking) hostName;

  flag =
    default:
    mkOption {
      type = types.bool;
      inherit default;
    };
  perhaps =
    type:
    mkOption {
      type = types.nullOr type;
      default = null;
    };

  volume = {
    options = {
      image = mkOption { type = types.str; };
      serial = perhaps types.str;
      direct = flag false;
      readOnly = flag false;
      label = perhaps types.str;
      mountPoint = mkOption { type = types.nullOr types.path; };
      size = mkOption { type = types.int; };
      autoCreate = flag true;
      mkfsExtraArgs = mkOption {
        type = types.listOf types.str;
        default = [ ];
      };
      # microvm.nix knows others, the lab's host has the programs for this one only.
      fsType = mkOption {
        type = types.enum [ "ext4" ];
        default = "ext4";
      };
    };
  };

  interface = {
    options = {
      # microvm.nix also has user, macvtap and bridge.
      type = mkOption { type = types.enum [ "tap" ]; };
      id = mkOption { type = types.str; };
      mac = mkOption { type = types.str; };
      bridge = perhaps types.str;
      tap.vhost = flag false;
    };
  };

  share =
    { config, ... }:
    {
      options = {
        tag = mkOption { type = types.str; };
        source = mkOption { type = types.nonEmptyStr; };
        mountPoint = mkOption { type = types.path; };
        proto = mkOption {
          type = types.enum [
            "9p"
            "virtiofs"
          ];
          default = "9p";
        };
        socket = mkOption {
          type = types.nullOr types.str;
          default = if config.proto == "virtiofs" then "${hostName}-virtiofs-${config.tag}.sock" else null;
        };
        readOnly = flag false;
        cache = mkOption {
          type = types.enum [
            "auto"
            "always"
            "metadata"
            "never"
          ];
          default = "auto";
        };
      };
    };
in
{
  options.microvm = {
    guest.enable = flag true;
    optimize.enable = flag true;
    hypervisor = mkOption {
      type = types.enum [
        "qemu"
        "cloud-hypervisor"
        "firecracker"
        "crosvm"
        "kvmtool"
        "stratovirt"
        "alioth"
        "vfkit"
      ];
      default = "qemu";
    };
    vcpu = mkOption {
      type = types.ints.positive;
      default = 1;
    };
    mem = mkOption {
      type = types.ints.positive;
      default = 512;
    };
    balloon = flag false;
    user = perhaps types.str;
    socket = mkOption {
      type = types.nullOr types.str;
      default = "${hostName}.sock";
    };
    preStart = mkOption {
      type = types.lines;
      default = "";
    };
    vsock.cid = perhaps types.int;
    vsock.ssh.enable = flag false;
    registerWithMachined = flag false;
    machineId = mkOption {
      type = types.nullOr types.str;
      default =
        let
          digits = builtins.hashString "sha256" "microvm.nix:${hostName}";
          part = start: length: builtins.substring start length digits;
        in
        lib.concatStringsSep "-" [
          (part 0 8)
          (part 8 4)
          (part 12 4)
          (part 16 4)
          (part 20 12)
        ];
    };
    interfaces = mkOption {
      type = types.listOf (types.submodule interface);
      default = [ ];
    };
    shares = mkOption {
      type = types.listOf (types.submodule share);
      default = [ ];
    };
    volumes = mkOption {
      type = types.listOf (types.submodule volume);
      default = [ ];
    };
    storeOnDisk = flag (!(lib.any ({ source, ... }: source == "/nix/store") config.microvm.shares));
    credentialFiles = mkOption {
      type = types.attrsOf types.path;
      default = { };
    };
    qemu.extraArgs = mkOption {
      type = types.listOf types.str;
      default = [ ];
    };
    declaredRunner = mkOption { type = types.package; };
  };
}
