import { z } from "zod";
import { microvmGuest } from "./microvm-guest.ts";
import { microvmProblems } from "./microvm-rules.ts";
import { proxmoxGuest } from "./proxmox-guest.ts";
import { proxmoxProblems } from "./proxmox-rules.ts";
import { container } from "./schema.ts";
import { cidr, ipv4, networkOf } from "./values.ts";
import { repeated, volumeProblems } from "./volume-rules.ts";

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
    if (!disks.some((disk) => disk.persistent)) {
      problem(["guest", "disks"], "must contain one with persistent: true, for /opt/data");
    }
  }
  hostUserProblems(tree, problem);
  if (launch.volumes !== undefined) volumeProblems(launch.volumes, disks, problem);
  const kind = z.object({ kind: z.string() }).safeParse(tree["guest"]).data?.kind;
  if (kind === "proxmox") proxmoxProblems(proxmox, tree["ssh"], problem);
  if (kind === "microvm") microvmProblems(microvm, tree["ssh"], problem);
  return problems;
}

function hostUserProblems(tree: Readonly<Record<string, unknown>>, problem: Report): void {
  const users = z.array(z.string()).safeParse(tree["hostUsers"]).data ?? [];
  for (const index of repeated(users)) {
    problem(["hostUsers", index], `is named twice: ${JSON.stringify(users[index])}`);
  }
  const { kind } = z.object({ kind: z.string() }).safeParse(tree["guest"]).data ?? {};
  const admin = z.object({ user: z.string() }).safeParse(tree["admin"]).data?.user;
  if (kind !== "microvm" || admin === undefined) return;
  for (const [index, user] of users.entries()) {
    if (user === admin) continue;
    problem(["hostUsers", index], `must be ${admin}, the one user of a microvm (hermes:admin.user)`);
  }
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
