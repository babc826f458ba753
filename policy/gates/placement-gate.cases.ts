import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

const PASSED = { "0": "passed", "1": "passed", "2": "passed", "3": "passed", "4": "passed" };
const OPEN = {
  cleared: true,
  clearedOn: "2026-10-01",
  clearedBy: "the owner",
  evidence: "docs/plan.md",
  phases: PASSED,
};
/** As the stack pve-sbx has it. */
const SHIPPED = {
  cleared: false,
  evidence: "docs/plans/20260814-pve-cluster.md",
  phases: { ...PASSED, "1": "blocked", "3": "open", "4": "open" },
};
/** Today's date on the islands that are 14 hours ahead of UTC. */
const TODAY = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
const guest = (placement: unknown, kind: unknown = "proxmox"): CaseResource => ({
  type: "hermes:index:HermesGuest",
  name: "guest",
  props: { kind, placement },
});
const VM = "proxmoxve:index/vmLegacy:VmLegacy";
const vm = (more: Partial<CaseResource> = {}): CaseResource => ({
  type: VM,
  name: "vm",
  props: { vmId: 210 },
  ...more,
});
const inGuest = vm({ parent: ["hermes:index:HermesGuest", "guest"] });
const command = (create: string): Case["resources"] => [
  { type: "command:remote:Command", props: { create } },
];
const config = (placement: unknown) => ({
  "hermes:guest": JSON.stringify({ kind: "proxmox", placement }),
});

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "a cleared guest with evidence", resources: [guest(OPEN)] },
    { title: "a cleared guest and its VM", resources: [guest(OPEN), inGuest] },
    { title: "a microvm", resources: [guest(undefined, "microvm")] },
    { title: "a guest whose kind is not known yet", resources: [guest(undefined, unknown)] },
    { title: "a placement that is not known yet", resources: [guest(unknown)] },
    ...["cleared", "clearedOn", "clearedBy", "evidence"].map((key) => ({
      title: `${key} that is not known yet`,
      resources: [guest({ ...OPEN, [key]: unknown })] as const,
    })),
    {
      title: "a phase that is not known yet",
      resources: [guest({ ...OPEN, phases: { ...PASSED, "3": unknown } })],
    },
    { title: "phases that are not known yet", resources: [guest({ ...OPEN, phases: unknown })] },
    {
      title: "a clearance of today, where the day begins first",
      resources: [guest({ ...OPEN, clearedOn: TODAY })],
    },
    {
      title: "an unquoted date, as the engine's YAML reader gives it",
      resources: [guest({ ...OPEN, clearedOn: "2026-10-01 00:00:00 +0000 UTC" })],
    },
    { title: "a VM of no guest on a cluster that the stack clears", resources: [vm()], config: config(OPEN) },
    {
      title: "a VM of no guest on a cluster that the pack's configuration clears",
      resources: [vm()],
      config: config(SHIPPED),
      settings: { placement: OPEN },
    },
    {
      title: "a cluster with other phases, of which the gate was told",
      resources: [guest({ ...OPEN, phases: { power: "passed" } })],
      settings: { phases: ["power"] },
    },
    { title: "a VM that holds something else", resources: [vm()], settings: { except: ["vm"] } },
    { title: "another resource of the cluster", resources: [vm({ type: "proxmoxve:download/file:File" })] },
    {
      title: "a command that makes a VM on a cleared cluster",
      resources: command("qm create 300"),
      config: config(OPEN),
    },
    {
      title: "a command that makes a VM for something else",
      resources: command("qm create 300"),
      settings: { except: ["it"] },
    },
    ...[
      "qm start 210",
      "qm set 210 --description clone",
      "echo qm create 210",
      "pct list",
      "pvesh get /nodes/pve-sbx-1/qemu",
      "pvesh create /nodes/pve-sbx-1/qemu/210/status/start",
      "pvesh create /access/users --userid /nodes/x/qemu",
      "pvesh create /nodes/pve-sbx-1/qemu/210/clones",
      "pvesh create /cluster/nodes/x/qemu",
      "pvesh create",
      'pvesh "$VERB" /nodes/pve-sbx-1/storage',
      'pvesh get "$PATH_OF_API"',
      '"$TOOL" create 300',
      "pvesh create /nodes/pve-sbx-1/qemu/x/clone",
      "pvesh create /nodes/pve-sbx-1/storage",
      "pvesh create x/nodes/pve-sbx-1/qemu",
      "mkdir create /nodes/pve-sbx-1/qemu",
      "qm",
    ].map((line) => ({ title: `the command ${line}`, resources: command(line) })),
  ],
  refuses: [
    {
      title: "the shipped pve-sbx stack, and says which phases stand in the way",
      resources: [guest(SHIPPED)],
      says: [
        "guest: placement is closed: cleared is false, phase 1 is blocked, phase 3 is open, phase 4 is open.",
        "hermes:guest.placement",
      ],
    },
    ...(
      [
        ["no placement at all", undefined, "it is not configured"],
        ["a placement that is a list", [OPEN], "it is not configured"],
        ["a placement of nothing", null, "it is not configured"],
        ["phases of nothing", { ...OPEN, phases: null }, "phase 0 is not listed"],
        ["a placement without a word on it", { ...OPEN, cleared: undefined }, "cleared is missing"],
        ["cleared as a word", { ...OPEN, cleared: "true" }, 'cleared is "true"'],
        [
          "a clearance that contradicts its phases",
          { ...OPEN, phases: { ...PASSED, "1": "blocked", "4": "open" } },
          "it is cleared, and yet phase 1 is blocked, phase 4 is open",
        ],
        ["a clearance without any phase", { ...OPEN, phases: {} }, "phase 0 is not listed"],
        ["a clearance whose phases are one word", { ...OPEN, phases: "passed" }, "phase 0 is not listed"],
        ["a clearance with its blocked phases left out", { ...OPEN, phases: { "0": "passed" } }, "phase 1"],
        ["a clearance with phases of its own invention", { ...OPEN, phases: { "99": "passed" } }, "phase 0"],
        [
          "a further phase that is open",
          { ...OPEN, phases: { ...PASSED, "5": "open" } },
          "it is cleared, and yet phase 5 is open.",
        ],
        ["a clearance signed with a blank", { ...OPEN, clearedBy: " " }, "without clearedBy"],
        ["a clearance of some day", { ...OPEN, clearedOn: "soon" }, '"soon", which is no date'],
        ["a clearance of a day that does not exist", { ...OPEN, clearedOn: "2026-02-30" }, "is no date"],
        ["a clearance of no month", { ...OPEN, clearedOn: "2026-99-99" }, "is no date"],
        ["a clearance at some hour", { ...OPEN, clearedOn: "2026-10-01 12:00" }, "is no date"],
        ["a date in a sentence", { ...OPEN, clearedOn: "not before 2026-10-01" }, "is no date"],
        ["a clearance of the future", { ...OPEN, clearedOn: "2999-01-01" }, "is yet to come"],
        ["a clearance that nobody signed", { ...OPEN, clearedBy: undefined }, "without clearedBy"],
        ["a clearance without a date", { ...OPEN, clearedOn: "" }, "without clearedOn"],
        ["a clearance without evidence", { ...OPEN, evidence: "" }, "without evidence"],
        ["evidence that is no text", { ...OPEN, evidence: true }, "without evidence"],
        ["a phase of a strange kind", { ...OPEN, phases: { ...PASSED, "2": { passed: true } } }, "phase 2"],
        ["a blocked phase beside an unknown one", { ...SHIPPED, cleared: unknown }, "phase 1 is blocked"],
        [
          "an unknown phase beside a blocked one",
          { ...OPEN, phases: { ...PASSED, "0": unknown, "1": "blocked" } },
          "phase 1 is blocked.",
        ],
        ["no clearance beside unknown phases", { ...SHIPPED, phases: unknown }, "cleared is false."],
        [
          "a date to come beside unknown evidence",
          { ...OPEN, clearedOn: "2999-01-01", evidence: unknown },
          "yet",
        ],
        [
          "a missing signature beside an unknown date",
          { ...OPEN, clearedOn: unknown, clearedBy: "" },
          "clearedBy",
        ],
        ["a secret placement", secret(SHIPPED), "cleared is false"],
      ] as const
    ).map(([title, placement, says]) => ({ title, resources: [guest(placement)] as const, says: [says] })),
    ...["Proxmox", "pve", "", undefined].map((kind) => ({
      title: `a guest of the unknown kind ${JSON.stringify(kind)} without a placement`,
      resources: [guest(undefined, kind === undefined ? null : kind)] as const,
    })),
    ...Object.keys(PASSED).map((phase) => ({
      title: `a clearance without phase ${phase}`,
      resources: [
        guest({
          ...OPEN,
          phases: Object.fromEntries(Object.entries(PASSED).filter(([other]) => other !== phase)),
        }),
      ] as const,
      says: [`it is cleared, and yet phase ${phase} is not listed.`],
    })),
    {
      title: "a phase that the gate was told of",
      resources: [vm()],
      config: config(OPEN),
      settings: { phases: ["5"] },
      says: ["it is cleared, and yet phase 5 is not listed."],
    },
    {
      title: "a VM of no guest in a stack without a placement",
      resources: [vm()],
      says: ["vm: placement is closed: it is not configured"],
    },
    {
      title: "a VM of no guest on a cluster that is not cleared",
      resources: [vm()],
      config: config(SHIPPED),
      says: ["cleared is false"],
    },
    {
      title: "a VM of no guest, and a configuration that is no object",
      resources: [vm()],
      config: { "hermes:guest": "placement" },
    },
    {
      title: "a VM of no guest, and a configuration of nothing",
      resources: [vm()],
      config: { "hermes:guest": "null" },
    },
    {
      title: "a VM of no guest beside a cleared one",
      resources: [guest(OPEN), vm()],
      config: config(SHIPPED),
    },
    { title: "a Proxmox VM that a microvm hides", resources: [guest(undefined, "microvm"), inGuest] },
    {
      title: "a VM whose clearance in the pack's configuration is not one",
      resources: [vm()],
      config: config(OPEN),
      settings: { placement: SHIPPED },
    },
    {
      title: "a VM of another name than the excepted one",
      resources: [vm()],
      settings: { except: ["other"] },
    },
    {
      title: "a guest whose name is excepted",
      resources: [guest(SHIPPED)],
      settings: { except: ["guest"] },
    },
    ...[
      "proxmoxve:index/vm:Vm",
      "proxmoxve:index/vm2Legacy:Vm2Legacy",
      "proxmoxve:cloned/vm:Vm",
      "proxmoxve:cloned/vmLegacy:VmLegacy",
      "proxmoxve:index/containerLegacy:ContainerLegacy",
      "proxmoxve:VM/virtualMachine:VirtualMachine",
      "proxmoxve:CT/container:Container",
    ].map((type) => ({ title: `the type ${type}`, resources: [vm({ type })] as const })),
    ...[
      "qm create 300 --memory 8192",
      "sudo -n qm clone 9000 300",
      "qm importovf 300 /tmp/hermes.ovf local-lvm",
      "qmrestore /mnt/hermes.vma.zst 300",
      "/usr/sbin/pct create 300 local:vztmpl/debian.tar.zst",
      "pct restore 300 /mnt/hermes.tar.zst",
      "pvesh create /nodes/pve-sbx-1/qemu --vmid 300",
      "pvesh create /nodes/pve-sbx-1/lxc/",
      "pvesh create /nodes/pve-sbx-1/qemu/9000/clone --newid 300",
      'pvesh create "/nodes/pve-sbx-1/qemu" --vmid "$ID"',
      "ssh root@pve-sbx-1 qm create 300",
      "pvesh create nodes/pve-sbx-1/qemu --vmid 300",
      "pvesh create //nodes/pve-sbx-1//qemu --vmid 300",
      "pvesh create /nodes/$(hostname)/qemu --vmid 300",
      'pvesh create "$PATH_OF_API"',
      'pvesh "$VERB" /nodes/pve-sbx-1/qemu',
      "qm $verb 300",
      'pct "$VERB" 300',
    ].map((line) => ({
      title: `the command ${line}`,
      resources: command(line),
      says: ["it: create", "placement is closed: it is not configured"],
    })),
  ],
};
