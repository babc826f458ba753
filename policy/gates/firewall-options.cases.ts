import { type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

type Props = Readonly<Record<string, unknown>>;
const vm = (props: Props = {}, type = "proxmoxve:index/vmLegacy:VmLegacy"): CaseResource => ({
  type,
  name: "vm",
  props: { vmId: 210, networkDevices: [{ bridge: "vmbr0", firewall: true }], ...props },
});
const LXC = "proxmoxve:index/containerLegacy:ContainerLegacy";
const CLONE = "proxmoxve:cloned/vm:Vm";
const options = (props: Props): CaseResource => ({
  type: "proxmoxve:firewall/optionsLegacy:OptionsLegacy",
  name: "options",
  props: { nodeName: "pve-sbx-1", enabled: true, ...props },
});

export const cases: GateCases = {
  level: "advisory",
  allows: [
    { title: "a VM whose options come after it", resources: [vm(), options({ vmId: 210 })] },
    { title: "a VM whose options come before it", resources: [options({ vmId: 210 }), vm()] },
    {
      title: "the second of two options",
      resources: [options({ vmId: 100 }), { ...options({ vmId: 210 }), name: "second" }, vm()],
    },
    {
      title: "a Linux container and its options",
      resources: [vm({ vmId: 300 }, LXC), options({ containerId: 300 })],
    },
    {
      title: "a clone and its options",
      resources: [vm({ vmId: undefined, resourceId: "220" }, CLONE), options({ vmId: 220 })],
    },
    {
      title: "the VM that owns the data disk, which never starts",
      resources: [vm({ vmId: 211, started: false })],
    },
    { title: "options whose VMID is not known yet", resources: [vm(), options({ vmId: unknown })] },
    { title: "options that are not known yet", resources: [vm(), options({ vmId: 210, enabled: unknown })] },
    { title: "a VMID that is not known yet", resources: [vm({ vmId: unknown }), options({ vmId: 210 })] },
    {
      title: "a VMID that the cluster chooses",
      resources: [vm({ vmId: undefined }), options({ vmId: 210 })],
    },
    { title: "a secret VMID", resources: [vm(), options({ vmId: secret(210) })] },
    { title: "another resource with a VMID", resources: [vm({}, "x:y:Z")] },
    { title: "a guest, which has no firewall of its own", resources: [vm({}, "hermes:index:HermesGuest")] },
  ],
  refuses: [
    {
      title: "a VM that says it at its network device alone",
      resources: [vm()],
      says: [
        "vm: the VM's firewall is turned on by no firewall options of this stack.",
        "Add a proxmoxve.firewall.OptionsLegacy",
      ],
      times: 1,
    },
    { title: "a VM that is started by name", resources: [vm({ started: true })] },
    {
      title: "a VM of which it is not known yet whether it starts",
      resources: [vm({ started: unknown }), options({ vmId: 100 })],
    },
    { title: "a VM beside the options of another", resources: [vm(), options({ vmId: 100 })] },
    { title: "options that leave it off", resources: [vm(), options({ vmId: 210, enabled: false })] },
    {
      title: "options without a word on it",
      resources: [vm({ vmId: unknown }), options({ vmId: 210, enabled: undefined })],
    },
    { title: "a Linux container", resources: [vm({ vmId: 300 }, LXC), options({ containerId: 301 })] },
    {
      title: "a clone",
      resources: [vm({ vmId: undefined, resourceId: "220" }, CLONE), options({ vmId: 221 })],
    },
    {
      title: "options of another type",
      resources: [vm(), { ...options({ vmId: 210 }), type: "x:firewall:Options" }],
    },
  ],
};
