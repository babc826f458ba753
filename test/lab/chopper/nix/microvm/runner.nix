# The runner: the command line of QEMU as microvm.nix would write it, given to the lab's own program of that name.
{
  lib,
  config,
  pkgs,
  ...
}:
let
  inherit (lib) concatMap optionals;
  cfg = config.microvm;
  inherit (config.networking) hostName;
  inherit (config.system.build) toplevel;

  letter = index: builtins.substring index 1 "abcdefghijklmnopqrstuvwxyz";
  indexed = values: builtins.genList (index: { inherit index; value = builtins.elemAt values index; }) (
    lib.length values
  );

  # An image is made when it is missing, and never resized.
  createVolume =
    volume:
    lib.optionalString volume.autoCreate ''
      if [ ! -e '${volume.image}' ]; then
        touch '${volume.image}'
        # Mark NOCOW
        chattr +C '${volume.image}' || true
        truncate -s ${toString volume.size}M '${volume.image}'
        mkfs.ext4 ${
          lib.optionalString (volume.label != null) "-L '${volume.label}'"
        } ${lib.escapeShellArgs volume.mkfsExtraArgs} '${volume.image}'
      fi
    '';

  arguments = [
    "-name"
    hostName
    "-m"
    "${toString cfg.mem}M"
    "-smp"
    (toString cfg.vcpu)
    "-nodefaults"
    "-no-user-config"
    "-no-reboot"
  ]
  ++ optionals (cfg.machineId != null) [
    "-smbios"
    "type=1,uuid=${cfg.machineId}"
  ]
  ++ concatMap (name: [
    "-fw_cfg"
    "name=opt/io.systemd.credentials/${name},file=${cfg.credentialFiles.${name}}"
  ]) (lib.attrNames cfg.credentialFiles)
  ++ [
    "-append"
    "init=${toplevel}/init"
  ]
  ++ optionals (cfg.socket != null) [
    "-qmp"
    "unix:${cfg.socket},server,nowait"
  ]
  ++ concatMap (
    { index, value }:
    [
      "-drive"
      "id=vd${letter index},format=raw,file=${value.image},if=none,discard=unmap,read-only=${
        if value.readOnly then "on" else "off"
      }"
      "-device"
      "virtio-blk-pci,drive=vd${letter index}${
        lib.optionalString (value.serial != null) ",serial=${value.serial}"
      }"
    ]
  ) (indexed cfg.volumes)
  ++ concatMap (
    { index, value }:
    [
      "-chardev"
      "socket,id=fs${toString index},path=${value.socket}"
      "-device"
      "vhost-user-fs-pci,chardev=fs${toString index},tag=${value.tag}"
    ]
  ) (indexed cfg.shares)
  ++ concatMap (
    { id, mac, ... }:
    [
      "-netdev"
      "tap,id=${id},ifname=${id},script=no,downscript=no"
      "-device"
      "virtio-net-pci,netdev=${id},mac=${mac}"
    ]
  ) cfg.interfaces
  ++ optionals (cfg.vsock.cid != null) [
    "-device"
    "vhost-vsock-pci,guest-cid=${toString cfg.vsock.cid}"
  ]
  ++ cfg.qemu.extraArgs;

  scripts = {
    microvm-run = ''
      set -eou pipefail
      ${cfg.preStart}
      ${lib.concatMapStrings createVolume cfg.volumes}
      ${lib.optionalString cfg.registerWithMachined "export LAB_REGISTER=1"}
      exec -a "microvm@${hostName}" /usr/lib/lab/qemu ${lib.escapeShellArgs arguments}
    '';
    microvm-shutdown = ''
      if [ ! -S ${cfg.socket} ]; then
        exit 0
      fi
      exec /usr/lib/lab/qemu-shutdown ${cfg.socket}
    '';
    tap-up = ''
      set -eou pipefail
      ${lib.concatMapStrings ({ id, ... }: "/usr/lib/lab/tap up ${id}\n") cfg.interfaces}
    '';
    tap-down = ''
      set -ou pipefail
      ${lib.concatMapStrings ({ id, ... }: "/usr/lib/lab/tap down ${id}\n") cfg.interfaces}
    '';
    # The host's store is given to the guest directly, without a daemon between them.
    virtiofsd-run = ''
      systemd-notify --ready
      exec sleep infinity
    '';
  };
  made = lib.filterAttrs (
    name: _:
    {
      tap-up = cfg.interfaces != [ ];
      tap-down = cfg.interfaces != [ ];
      virtiofsd-run = lib.any ({ proto, ... }: proto == "virtiofs") cfg.shares;
      microvm-shutdown = cfg.socket != null;
    }
    .${name} or true
  ) scripts;

  # Where a path may be missing, microvm.nix throws as late as here.
  checked =
    runner:
    if cfg.hypervisor == "cloud-hypervisor" && cfg.credentialFiles != { } then
      throw "cloud-hypervisor does not support credentialFiles"
    else if cfg.hypervisor != "qemu" then
      throw "The lab stands in for QEMU only: microvm.hypervisor is `${cfg.hypervisor}'."
    else if cfg.mem == 2048 then
      lib.warn "QEMU hangs if memory is exactly 2GB\n\n<https://github.com/microvm-nix/microvm.nix/issues/171>" runner
    else
      runner;
in
{
  microvm.declaredRunner = checked (
    pkgs.runCommand "microvm-${cfg.hypervisor}-${hostName}" { } ''
      mkdir -p "$out/bin" "$out/share/microvm"
      ${lib.concatMapStrings (name: ''
        ln -s ${pkgs.writeShellScript "microvm-${hostName}-${name}" made.${name}} "$out/bin/${name}"
      '') (lib.attrNames made)}
      ln -s ${toplevel} "$out/share/microvm/system"
      echo vnet_hdr > "$out/share/microvm/tap-flags"
      ${lib.concatMapStrings ({ id, ... }: ''
        echo '${id}' >> "$out/share/microvm/tap-interfaces"
      '') cfg.interfaces}
      ${lib.optionalString (cfg.vsock.cid != null) ''
        echo '${toString cfg.vsock.cid}' > "$out/share/microvm/vsock-cid"
      ''}
      echo '${cfg.hypervisor}' > "$out/share/microvm/hypervisor"
    ''
  );
}
