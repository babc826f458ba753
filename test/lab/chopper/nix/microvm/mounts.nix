# The guest's file systems: a tmpfs as root, the host's store, and the volumes, found by label.
{ lib, config, ... }:
let
  cfg = config.microvm;
  letter = index: builtins.substring index 1 "abcdefghijklmnopqrstuvwxyz";
  # microvm.nix counts the store's own disk first.
  first = if cfg.storeOnDisk then 1 else 0;
  indices = builtins.genList (index: index) (lib.length cfg.volumes);

  mount =
    index:
    let
      volume = builtins.elemAt cfg.volumes index;
    in
    lib.optional (volume.mountPoint != null) (
      lib.nameValuePair volume.mountPoint {
        inherit (volume) fsType;
        device =
          if volume.label != null then
            "/dev/disk/by-label/${volume.label}"
          else
            "/dev/vd${letter (first + index)}";
      }
    );
  share =
    { mountPoint, tag, proto, source, ... }:
    lib.nameValuePair mountPoint {
      device = tag;
      fsType = proto;
      neededForBoot = source == "/nix/store";
    };
in
{
  fileSystems = lib.mkMerge (
    [
      {
        "/" = lib.mkDefault {
          device = "rootfs";
          fsType = "tmpfs";
          options = [
            "size=50%"
            "mode=0755"
          ];
          neededForBoot = true;
        };
      }
    ]
    # Two volumes at one place are two definitions of one option, and refused as such.
    ++ map (entry: { ${entry.name} = entry.value; }) (
      lib.concatMap mount indices ++ map share cfg.shares
    )
  );
}
