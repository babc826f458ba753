import type { DiskSettings } from "./guest.ts";
import type { Report } from "./rules.ts";
import type { VolumeSettings } from "./schema.ts";

/** What identifies the guest to others, or opens it: no bind may reach it. */
const SECRETS_OF_THE_GUEST = ["/run/credentials", "/var/lib/tailscale", "/var/lib/sshd", "/etc/ssh"];

/**
 * The rules of the container's mounts that span several keys.
 * @param disks those of the guest; undefined when they are not well-formed: what needs them is left out then.
 */
export function volumeProblems(
  volumes: readonly VolumeSettings[],
  disks: readonly DiskSettings[] | undefined,
  problem: Report,
): void {
  const targets = volumes.map((mount) => mount.target);
  if (!targets.includes("/opt/data"))
    problem(["container", "volumes"], "must mount /opt/data: nothing else lasts");
  for (const index of repeated(targets)) {
    problem(["container", "volumes", index, "target"], `is used twice: ${JSON.stringify(targets[index])}`);
  }
  volumes.forEach((mount, index) => {
    const at = (...keys: PropertyKey[]) => ["container", "volumes", index, ...keys];
    if (mount.kind !== "bind" && mount.readOnly !== undefined) {
      problem(at("readOnly"), `is for a bind; a ${mount.kind} volume is always writable`);
    }
    if (mount.kind === "bind") {
      const secret = SECRETS_OF_THE_GUEST.find(
        (path) => within(mount.source, path) || within(path, mount.source),
      );
      const message = `gives the agent ${secret} of the guest: what it holds, the agent can use`;
      if (secret !== undefined) problem(at("source"), message);
    }
    if (disks === undefined) return;
    if (mount.target === "/opt/data") dataProblems(mount, disks, (message) => problem(at(), message));
    if (mount.kind !== "bind" || mount.readOnly === true || !within(mount.target, "/opt/data")) return;
    if (mount.target !== "/opt/data" && diskAround(mount.source, disks)?.persistent !== true) {
      problem(at("source"), "lies on no persistent disk, and /opt/data must last");
    }
    disks.forEach((disk, place) => {
      const inside = disk.mountPoint !== mount.source && within(disk.mountPoint, mount.source);
      if (disk.persistent || !inside) return;
      const message = `lies in ${mount.source}, which must last; the disk is not persistent`;
      problem(["guest", "disks", place, "mountPoint"], message);
    });
  });
}

function dataProblems(
  mount: VolumeSettings,
  disks: readonly DiskSettings[],
  problem: (message: string) => void,
): void {
  const persistent = disks.filter((disk) => disk.persistent).map((disk) => disk.mountPoint);
  if (mount.kind === "bind" && mount.readOnly !== true && persistent.includes(mount.source)) return;
  const allowed = persistent.join(", ") || "none is configured";
  problem(`/opt/data must be a writable bind of a persistent disk's mount point (${allowed})`);
}

/** The disk that a path lies on: of those around it the innermost. */
function diskAround(path: string, disks: readonly DiskSettings[]): DiskSettings | undefined {
  return disks
    .filter(({ mountPoint }) => within(path, mountPoint))
    .toSorted((a, b) => b.mountPoint.length - a.mountPoint.length)[0];
}

/** Whether `path` is `folder` or lies in it. */
function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Indexes of the values that stand somewhere before. */
export function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
