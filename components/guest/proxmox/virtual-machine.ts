import * as proxmox from "@muhlba91/pulumi-proxmoxve";
import type * as pulumi from "@pulumi/pulumi";
import { cidr } from "../../config/values.ts";
import type { ProxmoxArgs } from "./proxmox-backend.ts";

/** Serial of the data disk, by which the guest finds it. */
export const DATA_SERIAL = "hermes-data";

const SCSI = { discard: "on", iothread: true, ssd: true } as const;

/**
 * The cloud image, the VM that owns the data disk, and the guest's VM.
 *
 * The data disk belongs to a VM of its own that never starts ("attached disks" in the documentation of
 * bpg/terraform-provider-proxmox): Proxmox deletes with a VM only the disks that this VM owns, so the guest can be
 * destroyed or replaced and its data stays.
 */
export function virtualMachine(parent: pulumi.Resource, name: string, args: ProxmoxArgs): proxmox.VmLegacy {
  const { root, data } = disksOf(args);
  const tags = args.tags.toSorted();
  const image = new proxmox.download.File(
    `${name}-image`,
    {
      nodeName: args.nodeName,
      datastoreId: args.cloudImage.datastore,
      contentType: "import",
      url: args.cloudImage.url,
      // Named by guest and checksum: two stacks must not delete each other's image.
      fileName: `${args.hostname}-${args.cloudImage.sha512.slice(0, 12)}.qcow2`,
      checksum: args.cloudImage.sha512,
      checksumAlgorithm: "sha512",
      overwrite: false,
      // What an interrupted run left behind is downloaded anew.
      overwriteUnmanaged: true,
    },
    // Made first, a new file of the same name would be deleted with the old one.
    { parent, deleteBeforeReplace: true },
  );
  const dataVm = new proxmox.VmLegacy(
    `${name}-data`,
    {
      nodeName: args.nodeName,
      vmId: args.dataVmId,
      name: `${args.hostname}-data`,
      description: `Owns the data disk of ${args.hostname} (VMID ${args.vmId}). Never start it.\n\nOwner: ${args.owner}  \nBackup: with ${args.hostname}`,
      tags,
      started: false,
      onBoot: false,
      protection: args.onDestroy !== "delete-data",
      deleteUnreferencedDisksOnDestroy: false,
      scsiHardware: "virtio-scsi-single",
      operatingSystem: { type: "l26" },
      disks: [
        {
          ...SCSI,
          interface: "scsi0",
          datastoreId: args.datastore,
          fileFormat: "raw",
          size: gib(data.sizeMiB),
          // A backup of the guest holds this disk; one of this VM would open it while the guest writes.
          backup: false,
        },
      ],
    },
    { parent, protect: args.onDestroy !== "delete-data", ignoreChanges: ["disks[0].speed"] },
  );
  return new proxmox.VmLegacy(
    `${name}-vm`,
    {
      nodeName: args.nodeName,
      vmId: args.vmId,
      name: args.hostname,
      description: description(args),
      tags,
      onBoot: true,
      started: true,
      protection: args.onDestroy === "refuse",
      deleteUnreferencedDisksOnDestroy: false,
      rebootAfterUpdate: false,
      agent: { enabled: true, timeout: "10m", trim: true },
      machine: "q35",
      operatingSystem: { type: "l26" },
      cpu: { cores: args.vcpus, type: "x86-64-v2-AES" },
      memory: { dedicated: args.memoryMiB },
      scsiHardware: "virtio-scsi-single",
      bootOrders: ["scsi0"],
      disks: [
        {
          ...SCSI,
          interface: "scsi0",
          datastoreId: args.datastore,
          fileFormat: "raw",
          importFrom: image.id,
          size: gib(root.sizeMiB),
        },
        {
          ...SCSI,
          interface: "scsi1",
          datastoreId: args.datastore,
          fileFormat: "raw",
          pathInDatastore: dataVm.disks.apply((disks) => disks?.[0]?.pathInDatastore ?? ""),
          serial: DATA_SERIAL,
          size: gib(data.sizeMiB),
        },
      ],
      networkDevices: [{ bridge: args.bridge, vlanId: args.vlanId, model: "virtio", firewall: true }],
      serialDevices: [{ device: "socket" }],
      initialization: {
        datastoreId: args.datastore,
        interface: "ide2",
        ipConfigs: [{ ipv4: { address: args.address, gateway: args.gateway } }],
        dns: { servers: args.nameservers ?? [args.gateway] },
        userAccount: { username: args.admin.user, keys: args.admin.authorizedKeys },
        ...(args.vendorData === undefined ? {} : { vendorDataFileId: args.vendorData }),
      },
    },
    {
      parent,
      protect: args.onDestroy === "refuse",
      // Two guests must never run on one data disk.
      deleteBeforeReplace: true,
      // `speed` is a diff for ever otherwise; a changed cloud-init would preview the VM as replaced, and cloud-init
      // reads most of it at the first boot only; a new cloud image is for the next VM, not for this one's disk.
      ignoreChanges: ["initialization", "disks[0].speed", "disks[1].speed", "disks[0].importFrom"],
    },
  );
}

function description(args: ProxmoxArgs): string {
  const address = cidr(args.address)?.address ?? args.address;
  return [
    "Hermes Agent. Managed by the Pulumi project hermes; the data disk belongs to VMID " +
      `${args.dataVmId}.`,
    `Owner: ${args.owner}  \nClass: ${args.tags.toSorted().join(", ")}  \nBackup: ${args.backupPolicy}  \nAddress: ${address}`,
  ].join("\n\n");
}

/** The schema has made sure that there is one of each. */
function disksOf(args: ProxmoxArgs) {
  const root = args.disks.find((disk) => disk.mountPoint === "/");
  const data = args.disks.find((disk) => disk.persistent);
  if (root === undefined || data === undefined)
    throw new RangeError("a Proxmox guest has a root and a persistent disk");
  return { root, data };
}

function gib(mib: number): number {
  return mib / 1024;
}
