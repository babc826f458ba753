# What microvm.nix refuses, in its words where a person would search for them.
{ lib, config, ... }:
let
  cfg = config.microvm;
  prefix = "MicroVM ${config.networking.hostName}:";

  # One assertion for each value that `key` gives: it must occur once.
  once =
    what: key: values:
    map (
      value:
      let
        count = lib.length (lib.filter (other: key other == value) values);
      in
      {
        assertion = count == 1;
        message = "${prefix} ${what} \"${value}\" is used ${toString count} > 1 times.";
      }
    ) (lib.unique (map key values));
in
{
  assertions =
    once "volume image" (volume: volume.image) cfg.volumes
    ++ once "interface id" (interface: interface.id) cfg.interfaces
    ++ once "share tag" (share: share.tag) cfg.shares
    ++ map (
      { id, bridge, ... }:
      {
        assertion = bridge == null;
        message = "${prefix} interface ${id} is not of type \"bridge\" and therefore shouldn't have a \"bridge\" option defined.";
      }
    ) cfg.interfaces
    ++ map (
      { id, ... }:
      {
        assertion = builtins.stringLength id <= 15;
        message = "${prefix} interface name ${id} is longer than the the maximum length of 15 characters on Linux.";
      }
    ) cfg.interfaces
    ++ [
      {
        assertion = cfg.vsock.ssh.enable -> cfg.vsock.cid != null;
        message = "microvm.vsock.ssh.enable requires microvm.vsock.cid to be set";
      }
    ];

  warnings = lib.optional (cfg.mem < 32) "${prefix} ${toString cfg.mem} MB of RAM is uncomfortably narrow.";

  # In microvm.nix its own module does this, so that vsock alone is enough to have sshd.
  services.openssh.enable = lib.mkIf cfg.vsock.ssh.enable true;
  networking.useNetworkd = lib.mkIf cfg.optimize.enable (lib.mkDefault true);
}
