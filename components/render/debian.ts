import type { FilePart, Part, PartFile } from "../parts/part.ts";
import { debianCommand } from "./debian-command.ts";
import { quadlet } from "./quadlet.ts";
import { QUIET_RESOLVER } from "./resolver.ts";
import { pathUnit, unitFile } from "./systemd.ts";

/** What a part comes to on a Debian guest. */
export function debianPart(part: Part): FilePart & { readonly name: string } {
  if ("command" in part) return { name: part.name, ...debianCommand(part.command) };
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
 * The mount of the disk that has the serial `serial`. A blank disk gets an ext4 file system; one with any signature
 * on it is left alone (systemd-makefs(8)). The file system follows the disk when that grew.
 *
 * A udev rule of ours names the disk: the order of /dev/sdX is not stable (bpg#1633), and the names that udev makes
 * by itself changed with Proxmox VE 9, which gives QEMU a device id beside the serial.
 */
export function dataDiskPart(disk: {
  serial: string;
  mountPoint: string;
}): FilePart & { readonly name: string } {
  const { serial, mountPoint } = disk;
  const device = `/dev/disk/by-id/${serial}`;
  const mountUnit = pathUnit(mountPoint, "mount");
  const [format, grow] = [`${serial}-format.service`, `${serial}-grow.service`];
  const unit = (name: string, sections: Parameters<typeof unitFile>[0]) =>
    rootFile(`/etc/systemd/system/${name}`, unitFile(sections));
  return {
    name: "data-disk",
    packages: ["e2fsprogs"],
    images: [],
    files: [
      rootFile(
        `/etc/udev/rules.d/90-${serial}.rules`,
        `# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.\n` +
          `SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ENV{ID_SCSI_SERIAL}=="${serial}", SYMLINK+="disk/by-id/${serial}"\n`,
      ),
      unit(format, [
        [
          "Unit",
          [
            ["Description", `File system on the blank disk ${serial}`],
            ["DefaultDependencies", "no"],
            ["Wants", "systemd-udevd.service"],
            ["After", "systemd-udevd.service systemd-udev-trigger.service"],
            ["Before", mountUnit],
          ],
        ],
        [
          "Service",
          [
            ["Type", "oneshot"],
            ["RemainAfterExit", "yes"],
            // The rule may be newer than the disk's last event.
            [
              "ExecStartPre",
              `/usr/bin/udevadm trigger --action=change --property-match=ID_SCSI_SERIAL=${serial}`,
            ],
            ["ExecStartPre", `/usr/bin/udevadm wait --timeout=90 ${device}`],
            ["ExecStart", `/usr/lib/systemd/systemd-makefs ext4 ${device}`],
            ["TimeoutSec", "0"],
          ],
        ],
      ]),
      unit(mountUnit, [
        [
          "Unit",
          [
            ["Description", `Disk ${serial}`],
            ["Requires", format],
            ["After", format],
          ],
        ],
        [
          "Mount",
          [
            ["What", device],
            ["Where", mountPoint],
            ["Type", "ext4"],
            ["Options", "nodev,nosuid"],
          ],
        ],
        ["Install", [["WantedBy", "local-fs.target"]]],
      ]),
      unit(grow, [
        [
          "Unit",
          [
            ["Description", `Grow the file system on ${serial} to its disk`],
            ["RequiresMountsFor", mountPoint],
          ],
        ],
        [
          "Service",
          [
            ["Type", "oneshot"],
            ["RemainAfterExit", "yes"],
            ["ExecStart", `/usr/lib/systemd/systemd-growfs ${mountPoint}`],
          ],
        ],
        ["Install", [["WantedBy", "multi-user.target"]]],
      ]),
    ],
    units: [
      { name: mountUnit, enable: true },
      { name: grow, enable: true },
    ],
  };
}

/** What keeps the guest's resolver from answering its neighbours. */
export function quietResolverPart(): FilePart & { readonly name: string } {
  return {
    name: "resolver",
    packages: ["systemd-resolved"],
    images: [],
    files: [rootFile(QUIET_RESOLVER.path, QUIET_RESOLVER.content)],
    units: [{ name: "systemd-resolved.service", enable: false }],
  };
}

function rootFile(path: string, content: string): PartFile {
  return { path, mode: "0644", owner: "root", group: "root", content };
}
