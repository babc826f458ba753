import type { FilePart, Part, PartFile } from "../parts/part.ts";
import { quadlet } from "./quadlet.ts";
import { pathUnit, unitFile, word } from "./systemd.ts";

/** What a part comes to on a Debian guest. */
export function debianPart(part: Part): FilePart & { readonly name: string } {
  if (!("launch" in part)) return part;
  const { launch } = part;
  return {
    name: part.name,
    packages: ["podman"],
    images: [launch.image],
    files: [rootFile(`/etc/containers/systemd/${launch.name}.container`, quadlet(launch))],
    units: [{ name: `${launch.name}.service`, enable: false }],
  };
}

/**
 * The mount of a disk that Proxmox gave the serial `serial`. A blank disk gets an ext4 file system; one with any
 * signature on it is left alone (systemd-makefs(8)). The file system follows the disk when that grew.
 */
export function dataDiskPart(disk: {
  serial: string;
  mountPoint: string;
}): FilePart & { readonly name: string } {
  // QEMU's SCSI disks appear under this name; the order of /dev/sdX is not stable (bpg#1633).
  const device = `/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_${disk.serial}`;
  const deviceUnit = pathUnit(device, "device");
  const mountUnit = pathUnit(disk.mountPoint, "mount");
  const [format, grow] = [`${disk.serial}-format.service`, `${disk.serial}-grow.service`];
  return {
    name: "data-disk",
    packages: ["e2fsprogs"],
    images: [],
    files: [
      rootFile(
        `/etc/systemd/system/${format}`,
        unitFile([
          [
            "Unit",
            [
              ["Description", `File system on the blank disk ${disk.serial}`],
              ["DefaultDependencies", "no"],
              ["BindsTo", deviceUnit],
              ["After", deviceUnit],
              ["Before", mountUnit],
            ],
          ],
          [
            "Service",
            [
              ["Type", "oneshot"],
              ["RemainAfterExit", "yes"],
              ["ExecStart", `/usr/lib/systemd/systemd-makefs ext4 ${word(device)}`],
              ["TimeoutSec", "0"],
            ],
          ],
        ]),
      ),
      rootFile(
        `/etc/systemd/system/${mountUnit}`,
        unitFile([
          [
            "Unit",
            [
              ["Description", `Disk ${disk.serial}`],
              ["Requires", format],
              ["After", format],
            ],
          ],
          [
            "Mount",
            [
              ["What", device],
              ["Where", disk.mountPoint],
              ["Type", "ext4"],
              ["Options", "nodev,nosuid"],
            ],
          ],
          ["Install", [["WantedBy", "local-fs.target"]]],
        ]),
      ),
      rootFile(
        `/etc/systemd/system/${grow}`,
        unitFile([
          [
            "Unit",
            [
              ["Description", `Grow the file system on ${disk.serial} to its disk`],
              ["RequiresMountsFor", disk.mountPoint],
            ],
          ],
          [
            "Service",
            [
              ["Type", "oneshot"],
              ["RemainAfterExit", "yes"],
              ["ExecStart", `/usr/lib/systemd/systemd-growfs ${disk.mountPoint}`],
            ],
          ],
          ["Install", [["WantedBy", "multi-user.target"]]],
        ]),
      ),
    ],
    units: [
      { name: mountUnit, enable: true },
      { name: grow, enable: true },
    ],
  };
}

function rootFile(path: string, content: string): PartFile {
  return { path, mode: "0644", owner: "root", group: "root", content };
}
