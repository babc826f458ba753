import { z } from "zod";
import { address, label, path, plainAddress } from "./values.ts";

export const disk = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9]{0,11}$/, "must be 1 to 12 letters or digits, a letter first"),
  mountPoint: path.describe("Where the guest mounts it."),
  sizeMiB: z
    .int()
    .min(256)
    .describe(
      "MiB. On Proxmox the root disk grows in place and never shrinks, the data disk is resized in Proxmox first (README); a microvm's image is never resized: see grownFromMiB.",
    ),
  persistent: z
    .boolean()
    .describe("True: holds what must outlive the guest, is protected and is kept by a destroy."),
});

/** What every guest has. */
export const common = {
  hostname: label.describe("Hostname, and on a NixOS host the unit's and state folder's name."),
  vcpus: z
    .int()
    .min(1)
    .max(64)
    .describe(
      "Virtual CPUs. Kind proxmox: a change needs a reboot of the guest. Kind microvm: the deploy restarts it.",
    ),
  memoryMiB: z
    .int()
    .min(512)
    .describe(
      "MiB. Kind proxmox: a change needs a reboot of the guest. Kind microvm: the deploy restarts it.",
    ),
  address: address.describe(
    "Static IPv4 address with prefix. Kind proxmox: read at the first boot, change it in the guest too. Kind microvm: a change restarts the guest.",
  ),
  gateway: plainAddress.describe("Default gateway, inside the address's network."),
  nameservers: z.array(plainAddress).min(1).optional().describe("Default: the gateway."),
  disks: z.array(disk).min(1),
};

export type DiskSettings = z.output<typeof disk>;
