import { z } from "zod";
import { address, label, path, plainAddress } from "./values.ts";

const disk = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9]{0,11}$/, "must be 1 to 12 letters or digits, a letter first"),
  mountPoint: path.describe("Where the guest mounts it."),
  sizeMiB: z
    .int()
    .min(256)
    .describe(
      "MiB. On Proxmox the root disk grows in place and never shrinks, the data disk is resized in Proxmox first (README); a microvm's image is never resized.",
    ),
  persistent: z
    .boolean()
    .describe("True: holds what must outlive the guest, is protected and is kept by a destroy."),
});

const common = {
  hostname: label.describe("Hostname, and on a NixOS host the unit's and state folder's name."),
  vcpus: z.int().min(1).max(64).describe("Virtual CPUs. A change needs a reboot of the guest."),
  memoryMiB: z.int().min(512).describe("MiB. A change needs a reboot of the guest."),
  address: address.describe(
    "Static IPv4 address with prefix. Read at the first boot: change it in the guest too.",
  ),
  gateway: plainAddress.describe("Default gateway, inside the address's network."),
  nameservers: z.array(plainAddress).min(1).optional().describe("Default: the gateway."),
  disks: z.array(disk).min(1),
};

/** A placement gate of the cluster: which commissioning phases passed, and who cleared it. */
export const placement = z
  .strictObject({
    cleared: z
      .boolean()
      .describe("May a stateful guest be placed here? The policy pack refuses `up` until it is."),
    clearedOn: z
      .string()
      // The engine's YAML reader turns an unquoted date into this longer form.
      .regex(/^\d{4}-\d{2}-\d{2}( 00:00:00 \+0000 UTC)?$/, "must be a date, YYYY-MM-DD")
      .transform((date) => date.slice(0, 10))
      .optional()
      .describe("Date of the decision, YYYY-MM-DD."),
    clearedBy: z.string().min(1).optional().describe("Who decided."),
    evidence: z.string().min(1).describe("Document that the decision, or its absence, rests on."),
    phases: z.record(
      z.string().regex(/^\d+$/, "must be a phase number"),
      z.enum(["passed", "open", "blocked"]),
    ),
  })
  .describe("The placement gate.");

const vmId = z.int().min(100).max(999_999_999);
const datastore = z.string().regex(/^[a-z][a-z0-9_.-]*$/i, "must be the id of a Proxmox storage");

export const proxmoxGuest = z.strictObject({
  kind: z.literal("proxmox"),
  ...common,
  nodeName: label.describe(
    "Cluster node. Proxmox does not migrate a VM with a local disk of another VM: destroy it with keep-data, move dataVmId, then change this.",
  ),
  vmId: vmId.describe("VMID of the guest. A change replaces the VM, the old one first; the data disk stays."),
  dataVmId: vmId.describe(
    "VMID of the VM that owns the data disk and never starts. A change is refused: it is protected.",
  ),
  bridge: z
    .string()
    .regex(/^[a-z][a-z0-9]*$/)
    .default("vmbr0")
    .describe("Bridge of the network device."),
  vlanId: z.int().min(1).max(4094).describe("VLAN tag. Without one the guest has no network (fails closed)."),
  datastore: datastore.default("local-lvm").describe("Storage of the disks and of the cloud-init drive."),
  cloudImage: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/, error: "must be an http or https address" })
        .regex(/^[!-?A-~]+$/, "must not hold spaces or a user name")
        .describe("A dated image: a moving one would not match its checksum."),
      sha512: z
        .string()
        .regex(/^[0-9a-f]{128}$/, "must be 128 hex digits")
        .describe("SHA-512 of the image."),
      datastore: datastore.describe("Storage with the content type `import`."),
    })
    .describe("Debian 13 cloud image. Read when the VM is made: a later change touches no existing disk."),
  vendorData: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9_.-]*:snippets\/[A-Za-z0-9._-]+\.ya?ml$/,
      "must look like library-pve:snippets/hermes.yaml",
    )
    .optional()
    .describe(
      "Snippet that installs the guest agent: scripts/guest/vendor-data.yaml. Read when the VM is made.",
    ),
  hostKey: z
    .string()
    .regex(
      // A pinned RSA key never matches: the provider then offers only ssh-rsa with SHA-1, which sshd refuses.
      /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]{60,}={0,2}$/,
      "must be an Ed25519 or ECDSA key as `type base64`, without a comment",
    )
    .optional()
    .describe(
      "SSH host key of the guest. Default: read from the guest through the guest agent of the PVE API.",
    ),
  owner: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._@-]*$/)
    .describe("Who answers for the guest; stands in its notes."),
  backupPolicy: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._:,-]*$/)
    .describe("How it is backed up; stands in its notes."),
  tags: z
    .array(z.string().regex(/^[a-z0-9_][a-z0-9_+.-]*$/, "must be a Proxmox tag: lower case, digits, _ + . -"))
    .min(1)
    .describe("Class tag and others. Sent sorted: unsorted tags are a diff for ever."),
  placement,
  onDestroy: z
    .enum(["refuse", "keep-data", "delete-data"])
    .default("refuse")
    .describe(
      "What `pulumi destroy` may remove: nothing (refuse), the guest but not its data disk (keep-data, with --exclude-protected), or everything (delete-data). Takes effect at the next `up`.",
    ),
});

export const microvmGuest = z.strictObject({
  kind: z.literal("microvm"),
  ...common,
  memoryMiB: common.memoryMiB.refine(
    (size) => size !== 2048,
    "must not be 2048: QEMU hangs at exactly that size (microvm.nix#171); take 2047 or 2049",
  ),
  tap: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,14}$/, "must be at most 15 characters: Linux allows no longer interface name"),
  mac: z
    .string()
    .regex(
      /^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/,
      "must be a locally administered unicast MAC, as in 02:00:00:00:20:02",
    ),
  vsockCid: z.int().min(3, "must be above 2: 0 to 2 are reserved").max(4_294_967_294),
});

export type ProxmoxGuestSettings = z.output<typeof proxmoxGuest>;
export type MicrovmGuestSettings = z.output<typeof microvmGuest>;
export type DiskSettings = z.output<typeof disk>;
