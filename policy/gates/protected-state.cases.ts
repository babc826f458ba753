import { type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

const command = (create: string): readonly [CaseResource] => [
  { type: "command:remote:Command", props: { create } },
];
const VM = "proxmoxve:index/vmLegacy:VmLegacy";
const KEEPS = { deleteUnreferencedDisksOnDestroy: false };
const guest = (onDestroy: unknown): CaseResource => ({
  type: "hermes:index:HermesGuest",
  name: "guest",
  props: { kind: "proxmox", onDestroy },
});
/** A VM of no guest. */
const alone = (more: Partial<CaseResource> = {}): readonly [CaseResource] => [
  { type: VM, name: "vm", props: KEEPS, protect: true, ...more },
];
const ROOT = { interface: "scsi0", size: 32 };
const attached = (path: unknown) => ({ interface: "scsi1", pathInDatastore: path, serial: "hermes-data" });

/** The guest, the VM that owns its data disk, and its VM, as `virtualMachine` makes them. */
function program(
  onDestroy: unknown,
  {
    data = onDestroy !== "delete-data",
    machine = onDestroy === "refuse",
    disks = [ROOT, attached("vm-211-disk-0")] as unknown,
  } = {},
): readonly [CaseResource, CaseResource, CaseResource] {
  const parent = ["hermes:index:HermesGuest", "guest"] as const;
  return [
    guest(onDestroy),
    {
      type: VM,
      name: "data",
      props: { ...KEEPS, started: false, disks: [{ interface: "scsi0", backup: false }] },
      protect: data,
      parent,
    },
    { type: VM, name: "vm", props: { ...KEEPS, started: true, disks }, protect: machine, parent },
  ];
}

const microvm = (onDestroy: unknown, more: Partial<CaseResource> = {}): readonly [CaseResource] => [
  { type: "hermes:index:HermesGuest", name: "guest", props: { kind: "microvm", onDestroy }, ...more },
];

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "a microvm that refuses to go", resources: microvm("refuse") },
    { title: "a microvm that may go without its data", resources: microvm("keep-data") },
    { title: "a microvm whose onDestroy is not known yet", resources: microvm(unknown) },
    { title: "a microvm whose onDestroy is left to its default", resources: microvm(undefined) },
    {
      title: "a component of somebody else with the same words",
      resources: microvm("delete-data", { type: "x:index:Guest" }),
    },
    { title: "the program's guest that refuses to go", resources: program("refuse") },
    { title: "the program's guest that may go without its data", resources: program("keep-data") },
    {
      title: "the same in a preview, where nobody knows the disk's path yet",
      resources: program("keep-data", { disks: [ROOT, attached(unknown)] }),
    },
    ...[unknown, [ROOT, unknown]].map((disks, index) => ({
      title: `the same where ${index === 0 ? "its disks are" : "one of its disks is"} not known yet`,
      resources: program("keep-data", { disks }),
    })),
    { title: "a decision that is not known yet", resources: program(unknown) },
    { title: "a protected VM of no guest", resources: alone() },
    {
      title: "a setting of unreferenced disks that is not known yet",
      resources: alone({ props: { deleteUnreferencedDisksOnDestroy: unknown } }),
    },
    {
      title: "a clone, which keeps them by default",
      resources: alone({ type: "proxmoxve:cloned/vm:Vm", props: {} }),
    },
    {
      title: "a protected Linux container, which has none",
      resources: alone({ type: "proxmoxve:index/containerLegacy:ContainerLegacy", props: {} }),
    },
    {
      title: "a VM that holds nothing to keep",
      resources: alone({ props: {}, protect: false }),
      settings: { except: ["vm"] },
    },
    {
      title: "another resource of the cluster",
      resources: alone({ type: "proxmoxve:download/file:File", props: {}, protect: false }),
    },
    ...[
      "qm start 101",
      "qm shutdown 101 --destroy",
      "echo qm destroy 101",
      "xqm destroy 101",
      "qm destroyed 101",
      "qm set 101 --delete net0,ide2,scsihw",
      "qm set 101 --scsi1 local-lvm:8",
      "rsync --delete scsi1 /x",
      "xqm set 101 --delete scsi1",
      "qmx set 101 --delete scsi1",
      "qm disk move 101 scsi1 --delete 1",
      "pct unlink 101",
      "pvesm list local",
      "pvesh get /nodes/pve/qemu/101",
      "pvesh delete /nodes/pve/qemu/101/snapshot/a",
      "pvesh delete /nodes/pve/storage/local",
      "pvesh delete /nodes/pve/qemu",
      "pvesh delete",
      "qm",
    ].map((line) => ({ title: `the command ${line}`, resources: command(line) })),
    {
      title: "a command that deletes in earnest",
      resources: command("qm destroy 101"),
      settings: { except: ["it"] },
    },
  ],
  refuses: [
    {
      title: "a microvm whose destroy takes its images along",
      resources: microvm("delete-data"),
      says: ["onDestroy", "delete-data", "what Hermes remembers"],
    },
    {
      title: "a guest of Proxmox that says so, where its VM is not seen",
      resources: [guest("delete-data")],
      says: ["onDestroy", "what Hermes remembers"],
    },
    ...[
      "qm destroy 101 --purge",
      "qm destroy",
      "sudo -n pct destroy 101",
      "qm set 101 --delete scsi1",
      "qm set 101 -delete net0,virtio12",
      "qm set 101 --delete=sata0",
      "qm set 101 --delete unused0",
      "pct set 101 --delete mp0",
      'qm set 101 --delete "$DISK"',
      "qm set 101 --delete ide0",
      "qm set 101 --delete ide1",
      "qm set 101 --delete ide3",
      "qm disk unlink 101 --idlist scsi1 --force",
      "qm unlink 101 --idlist scsi1",
      "pvesm free local-lvm:vm-101-disk-1",
      "pvesh delete /nodes/pve/qemu/101",
      "pvesh delete nodes/$(hostname)/lxc/101",
      "pvesh delete //nodes/pve/lxc/101/ --purge 1",
      "pvesh delete /nodes/pve/storage/local/content/local:vm-101-disk-0",
      "pvesh set /nodes/pve/qemu/101/config --delete scsi1",
    ].map((line) => ({
      title: `the command ${line}`,
      resources: command(line),
      says: ["it: create ›", "deletes a VM or a disk, with what is on it"],
    })),
    {
      title: "a command that is run at a destroy",
      resources: [{ type: "command:local:Command", props: { create: "true", delete: "qm destroy 101" } }],
      says: ["it: delete › qm destroy 101 deletes a VM", "`except`"],
    },
    {
      title: "the data disk's VM, when everything may be destroyed",
      resources: program("delete-data"),
      says: ["data: options › protect is not set", "`pulumi destroy`", "onDestroy to refuse or keep-data"],
    },
    {
      title: "a data disk's VM without protection, though the guest keeps its data",
      resources: program("keep-data", { data: false }),
      says: ["data: options › protect is not set"],
    },
    {
      title: "a guest's VM without protection that is not meant to go",
      resources: program("refuse", { machine: false }),
      says: ["vm: options › protect is not set"],
    },
    {
      title: "a guest's VM when everything may be destroyed",
      resources: program("delete-data", { data: true }),
      says: ["vm: options › protect"],
    },
    {
      title: "a guest that keeps its data, whose data is on a disk of its own VM",
      resources: program("keep-data", { disks: [ROOT, { interface: "scsi1", serial: "hermes-data" }] }),
      says: ["vm: options › protect"],
    },
    {
      title: "a guest that keeps its data, whose data disk has an empty path",
      resources: program("keep-data", { disks: [ROOT, attached("")] }),
    },
    {
      title: "a guest that keeps its data, whose disks are no list",
      resources: program("keep-data", { disks: "none" }),
    },
    {
      title: "a VM without protection that holds another VM's disk, but is of no guest",
      resources: alone({ protect: false, props: { ...KEEPS, disks: [attached("vm-211-disk-0")] } }),
    },
    {
      title: "a VM of no guest without protection",
      resources: alone({ protect: false }),
      says: ["vm: options › protect is not set, so a `pulumi destroy` or a replacement deletes it."],
    },
    {
      title: "a VM of another name than the excepted one",
      resources: alone({ protect: false }),
      settings: { except: ["other"] },
    },
    {
      title: "a Linux container without protection",
      resources: alone({ type: "proxmoxve:index/containerLegacy:ContainerLegacy", protect: false }),
    },
    {
      title: "a VM that takes unreferenced disks with it by default",
      resources: alone({ props: {} }),
      says: [
        "vm: deleteUnreferencedDisksOnDestroy is not set and is true by default: with the VM go disks that its configuration does not name.",
        "Set it to false.",
      ],
    },
    ...["proxmoxve:index/vm:Vm", "proxmoxve:index/vm2Legacy:Vm2Legacy"].map((type) => ({
      title: `the type ${type}, which does that, too`,
      resources: alone({ type, props: {} }),
    })),
    ...[true, "false", secret(true)].map((value) => ({
      title: `a VM that takes them with it by ${JSON.stringify(value)}`,
      resources: alone({ props: { deleteUnreferencedDisksOnDestroy: value, disks: unknown } }),
      says: ["deletes disks that the VM's configuration does not name", "Set it to false."],
    })),
    {
      title: "a clone that is told to take them with it",
      resources: alone({ type: "proxmoxve:cloned/vm:Vm", props: { deleteUnreferencedDisksOnDestroy: true } }),
    },
  ],
};
