import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

type Props = Readonly<Record<string, unknown>>;
const GUEST = "hermes:index:HermesGuest";
const LXC = "proxmoxve:index/containerLegacy:ContainerLegacy";
const guest = (props: Props = {}, name = "guest"): CaseResource => ({
  type: GUEST,
  name,
  props: { kind: "proxmox", nodeName: "pve-sbx-1", vmId: 210, backupPolicy: "daily-backups", ...props },
});
const vm = (props: Props = {}, more: Partial<CaseResource> = {}): CaseResource => ({
  type: "proxmoxve:index/vmLegacy:VmLegacy",
  name: "vm",
  props: { nodeName: "pve-sbx-1", vmId: 210, ...props },
  ...more,
});
const inGuest = (props: Props = {}): CaseResource => vm(props, { parent: [GUEST, "guest"] });
const job = (props: Props): CaseResource => ({
  type: "proxmoxve:backup/job:Job",
  name: "job",
  props: { resourceId: "nightly", schedule: "05:00", storage: "backups-pve-sbx", ...props },
});
const member = (props: Props): CaseResource => ({
  type: "proxmoxve:pool/membership:Membership",
  name: "member",
  props,
});
const one = (resource: CaseResource): Case["resources"] => [resource];
const DATA = { interface: "scsi1", backup: false };

export const cases: GateCases = {
  level: "advisory",
  allows: [
    { title: "the shipped chopper guest", resources: one({ type: GUEST, props: { kind: "microvm" } }) },
    { title: "the shipped pve-sbx guest", resources: one(guest()) },
    {
      title: "its VM, and the one that owns its data disk",
      resources: [
        guest(),
        vm({ vmId: 211, started: false, disks: [DATA] }, { name: "data", parent: [GUEST, "guest"] }),
        inGuest({ started: true, disks: [{ interface: "scsi0" }, { interface: "scsi1", backup: true }] }),
      ],
    },
    {
      title: "a guest in a job that comes after it",
      resources: [guest({ backupPolicy: undefined }), job({ vmids: ["100", "210"] })],
    },
    { title: "a job that comes before", resources: [job({ vmids: [210] }), guest()] },
    {
      title: "a second job",
      resources: [job({ vmids: ["100"] }), guest(), { ...job({ vmids: ["210"] }), name: "second" }],
    },
    { title: "a job of everything", resources: [guest(), job({ all: true, excludes: ["100"] })] },
    {
      title: "a job of everything on the guest's node",
      resources: [guest(), job({ all: true, node: "pve-sbx-1" })],
    },
    { title: "a job that does not know yet", resources: [guest(), job({ all: unknown })] },
    { title: "a job whose node is not known yet", resources: [guest(), job({ all: true, node: unknown })] },
    { title: "a job whose VMs are not known yet", resources: [guest(), job({ vmids: unknown })] },
    {
      title: "a job one of whose VMs is not known yet",
      resources: [guest(), job({ vmids: ["100", unknown] })],
    },
    {
      title: "a job of the guest's pool",
      resources: [guest(), inGuest({ poolId: "apps" }), job({ pool: "apps" })],
    },
    {
      title: "a job of a pool that the guest is a member of",
      resources: [guest(), member({ poolId: "apps", vmId: 210 }), job({ pool: "apps" })],
    },
    { title: "a job of a pool that is not known yet", resources: [guest(), job({ pool: unknown })] },
    { title: "a VMID that is not known yet", resources: [guest({ vmId: unknown }), job({ vmids: ["210"] })] },
    { title: "a policy that is not known yet", resources: one(guest({ backupPolicy: unknown })) },
    { title: "a job whose name holds a no", resources: one(guest({ backupPolicy: "nightly-none" })) },
    {
      title: "a job whose name begins with a no",
      resources: one(guest({ backupPolicy: "no backups but nightly" })),
    },
    { title: "a VM of no guest in a job", resources: [vm(), job({ vmids: ["210"] })] },
    {
      title: "a VM of no guest whose VMID the cluster chooses",
      resources: [vm({ vmId: undefined }), job({ vmids: ["210"] })],
    },
    {
      title: "a VM that is covered elsewhere",
      resources: one(vm({ disks: [DATA] })),
      settings: { except: ["vm"] },
    },
    {
      title: "another resource of the cluster",
      resources: one(vm({ disks: [DATA] }, { type: "proxmoxve:download/file:File" })),
    },
    {
      title: "disks that are not known yet",
      resources: [
        guest(),
        inGuest({ disks: [unknown] }),
        vm({ disks: unknown }, { name: "other" }),
        job({ all: true }),
      ],
    },
    {
      title: "a mount point in the backup",
      resources: [
        vm({ mountPoints: [{ path: "/data", backup: true }, unknown] }, { type: LXC }),
        job({ all: true }),
      ],
    },
  ],
  refuses: [
    {
      title: "a guest that no job of the stack covers",
      resources: [guest(), job({ vmids: ["100"] })],
      says: ["guest: vmId is 210, which is in no backup job of this stack.", "Add the VM to a backup job"],
    },
    {
      title: "the second of two guests",
      resources: [guest(), guest({ vmId: 220 }, "second"), job({ vmids: ["210"] })],
      says: ["second: vmId is 220"],
    },
    {
      title: "a job of a strange pool",
      resources: [guest(), inGuest({ poolId: "apps" }), job({ pool: {} })],
    },
    { title: "a job of something strange", resources: [guest(), job({ vmids: [{ id: 210 }] })] },
    { title: "a job that is off", resources: [guest(), job({ all: true, enabled: false })] },
    {
      title: "a job that leaves the guest out",
      resources: [guest(), job({ all: true, excludes: ["100", "210"] })],
    },
    { title: "a job of another node", resources: [guest(), job({ all: true, node: "pve-sbx-2" })] },
    { title: "a job of nothing", resources: [guest(), job({ all: false })] },
    {
      title: "a job of another pool",
      resources: [guest(), inGuest({ poolId: "apps" }), job({ pool: "lab" })],
    },
    {
      title: "a job of a pool of another VM",
      resources: [guest(), member({ poolId: "apps", vmId: 100 }), job({ pool: "apps" })],
    },
    {
      title: "a job of a pool that nothing is a member of",
      resources: [guest(), inGuest(), job({ pool: "apps" })],
    },
    {
      title: "a job of no pool, beside a pool",
      resources: [guest(), inGuest({ poolId: "apps" }), job({ pool: undefined })],
    },
    {
      title: "a guest without a policy or a job",
      resources: one(guest({ backupPolicy: undefined })),
      says: [
        "guest: backupPolicy is not set, so no backup job is named.",
        "name the job that covers it in hermes:guest.backupPolicy",
      ],
    },
    {
      title: "a policy of nothing, as such",
      resources: one(guest({ backupPolicy: "none" })),
      says: ['guest: backupPolicy is "none", which names no backup job.'],
    },
    {
      title: "a policy that is no name",
      resources: one(guest({ backupPolicy: null })),
      says: ["guest: backupPolicy is null, which names no backup job."],
    },
    ...["none", " No ", "off", "never", "-", "TODO", "n/a", "", secret("none")].map((backupPolicy) => ({
      title: `the policy ${JSON.stringify(backupPolicy)}`,
      resources: one(guest({ backupPolicy, vmId: unknown })),
    })),
    {
      title: "a VM of no guest without a job",
      resources: one(vm()),
      says: [
        "vm: vmId is 210, which is in no backup job of this stack.",
        "when one outside the stack covers it, name the VM in the gate's setting `except`.",
      ],
    },
    ...[undefined, unknown].map((vmId) => ({
      title: `a VM of no guest whose VMID ${vmId === undefined ? "the cluster chooses" : "is not known yet"}`,
      resources: one(vm({ vmId })),
      says: ["vm: vmId is in no backup job"],
    })),
    {
      title: "a VM of no guest that a job leaves out",
      resources: [vm(), job({ vmids: ["100"] })],
      says: ["vm: vmId is 210"],
    },
    {
      title: "a VM of another name than the excepted one",
      resources: one(vm()),
      settings: { except: ["other"] },
    },
    {
      title: "a Proxmox VM that a microvm hides",
      resources: [{ type: GUEST, name: "guest", props: { kind: "microvm" } }, inGuest()],
      says: ["vm: vmId"],
    },
    {
      title: "a data disk that is in no backup",
      resources: [guest(), inGuest({ disks: [{ interface: "scsi0" }, DATA] })],
      says: ["vm: disks.1.backup is false, which leaves the disk out of every backup.", "Set it to true."],
    },
    {
      title: "a clone's disk",
      resources: [
        vm({ disk: { scsi1: { backup: false } } }, { type: "proxmoxve:cloned/vm:Vm" }),
        job({ all: true }),
      ],
      says: ["disk.scsi1.backup"],
    },
    {
      title: "a Linux container's mount point, which is in no backup by default",
      resources: [
        vm({ mountPoints: [{ path: "/data", backup: true }, { path: "/more" }] }, { type: LXC }),
        job({ all: true }),
      ],
      says: ["mountPoints.1.backup is not set, so the mount point is in no backup.", "Set it to true."],
    },
  ],
};
