import { z } from "zod";
import { microvmGuest } from "./microvm-guest.ts";
import { microvmProblems } from "./microvm-rules.ts";
import { proxmoxGuest } from "./proxmox-guest.ts";
import { proxmoxProblems } from "./proxmox-rules.ts";
import { container } from "./schema.ts";
import { cidr, ipv4, networkOf } from "./values.ts";

/** Something wrong with the settings, at a path below `hermes:`. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type Report = (path: PropertyKey[], message: string) => void;

/**
 * The rules that span several keys. They work on what is there and well-formed, whatever else is missing or
 * malformed: zod would skip them at the first such key, and a person would see the problems one after the other.
 */
export function crossProblems(tree: Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = [];
  const problem: Report = (path, message) => problems.push({ path, message });
  const proxmox = wellFormed(proxmoxGuest, tree["guest"]);
  const microvm = wellFormed(microvmGuest, tree["guest"]);
  const launch = wellFormed(container, tree["container"]);
  const { address, gateway, disks } = { ...microvm, ...proxmox };

  const network = address === undefined ? undefined : cidr(address);
  if (network !== undefined && gateway !== undefined) {
    if (networkOf(ipv4(gateway) ?? 0, network.prefix) !== network.network) {
      problem(["guest", "gateway"], `must lie in the network of the address ${address}`);
    }
    if (network.address === gateway) {
      problem(["guest", "gateway"], "must differ from the guest's own address");
    }
  }
  if (disks !== undefined) {
    for (const key of ["name", "mountPoint"] as const) {
      for (const index of repeated(disks.map((disk) => disk[key]))) {
        problem(["guest", "disks", index, key], `is used twice: ${JSON.stringify(disks[index]?.[key])}`);
      }
    }
    const persistent = disks.filter((disk) => disk.persistent).map((disk) => disk.mountPoint);
    if (persistent.length === 0) {
      problem(["guest", "disks"], "must contain one with persistent: true, for /opt/data");
    }
    const around = (path: string) =>
      disks
        .filter(({ mountPoint }) => within(path, mountPoint))
        .toSorted((a, b) => b.mountPoint.length - a.mountPoint.length)[0];
    launch.volumes?.forEach((mount, index) => {
      if (mount.kind !== "bind" || mount.readOnly === true || !within(mount.target, "/opt/data")) return;
      if (mount.target !== "/opt/data" && around(mount.source)?.persistent !== true) {
        problem(
          ["container", "volumes", index, "source"],
          "lies on no persistent disk, and /opt/data must last",
        );
      }
      disks.forEach((disk, at) => {
        if (disk.persistent || disk.mountPoint === mount.source || !within(disk.mountPoint, mount.source))
          return;
        problem(
          ["guest", "disks", at, "mountPoint"],
          `lies in ${mount.source}, which must last; the disk is not persistent`,
        );
      });
    });
    launch.volumes?.forEach((mount, index) => {
      const secret = SECRETS_OF_THE_GUEST.find(
        (path) => within(mount.source, path) || within(path, mount.source),
      );
      if (mount.kind !== "bind" || secret === undefined) return;
      const message = `gives the agent ${secret} of the guest: what it holds, the agent can use`;
      problem(["container", "volumes", index, "source"], message);
    });
    launch.volumes?.forEach((mount, index) => {
      const lasts = mount.kind === "bind" && mount.readOnly !== true && persistent.includes(mount.source);
      if (mount.target !== "/opt/data" || lasts) return;
      const allowed = persistent.join(", ") || "none is configured";
      const message = `/opt/data must be a writable bind of a persistent disk's mount point (${allowed})`;
      problem(["container", "volumes", index], message);
    });
  }
  if (launch.volumes !== undefined) {
    const targets = launch.volumes.map((mount) => mount.target);
    if (!targets.includes("/opt/data"))
      problem(["container", "volumes"], "must mount /opt/data: nothing else lasts");
    launch.volumes.forEach((mount, index) => {
      if (mount.readOnly === undefined || mount.kind === "bind") return;
      problem(
        ["container", "volumes", index, "readOnly"],
        `is for a bind; a ${mount.kind} volume is always writable`,
      );
    });
    for (const index of repeated(targets)) {
      problem(["container", "volumes", index, "target"], `is used twice: ${JSON.stringify(targets[index])}`);
    }
  }
  const kind = z.object({ kind: z.string() }).safeParse(tree["guest"]).data?.kind;
  if (kind === "proxmox") {
    proxmoxProblems(proxmox, tree["ssh"], problem);
  }
  if (kind === "microvm") microvmProblems(microvm, tree["ssh"], problem);
  return problems;
}

/** What identifies the guest to others, or opens it: no bind may reach it. */
const SECRETS_OF_THE_GUEST = ["/run/credentials", "/var/lib/tailscale", "/var/lib/sshd", "/etc/ssh"];

/** Whether `path` is `folder` or lies in it. */
function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The keys of `value` that are well-formed by themselves. */
function wellFormed<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  value: unknown,
): Partial<z.output<z.ZodObject<Shape>>> {
  if (typeof value !== "object" || value === null) return {};
  const entries = Object.entries(schema.shape).flatMap(([key, field]) => {
    const own: unknown = (value as Record<string, unknown>)[key];
    const result = z.safeParse(field, own);
    return own !== undefined && result.success ? [[key, result.data]] : [];
  });
  return Object.fromEntries(entries) as Partial<z.output<z.ZodObject<Shape>>>;
}

/** Indexes of the values that stand somewhere before. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
