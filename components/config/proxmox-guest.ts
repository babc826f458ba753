import { z } from "zod";
import { common } from "./guest.ts";
import { hostKey, label } from "./values.ts";

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
  hostKey: hostKey
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

export type ProxmoxGuestSettings = z.output<typeof proxmoxGuest>;
