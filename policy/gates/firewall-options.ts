import type { Gate } from "../pack/gate.ts";
import { isVirtualMachine } from "../pack/guests.ts";
import type { Value, Values } from "../pack/resource.ts";
import { UNKNOWN } from "../reading/content.ts";

/** Advice: something turns the firewall of each VM on. What a program says of it, `guest-firewall` judges. */
export const firewallOptions: Gate = {
  id: "firewall-options",
  title: "Firewall options of the VM",
  level: "advisory",
  when: "end",
  // pve-docs, "Proxmox VE Firewall", VM/Container configuration: `enable` is 0 by default, and both have to be on.
  reason:
    "The firewall of a VM is off by default, and while it is, `firewall: true` at a network device filters nothing.",
  remediation:
    "Add a proxmoxve.firewall.OptionsLegacy with the VM's vmId and `enabled: true`. Have a way to the VM's console before: its rules are in force from then on.",
  check: (resource, _settings, stack) => {
    const { props } = resource;
    // A VM that never starts owns the disk of another VM.
    if (!isVirtualMachine(resource) || props["started"] === false) return [];
    const options = stack.of("proxmoxve:firewall/optionsLegacy:OptionsLegacy");
    return options.some((one) => mayTurnOn(one.props, idOf(props)))
      ? []
      : [{ at: "the VM's firewall", message: "is turned on by no firewall options of this stack" }];
  },
};

/** A clone has its VMID as a text, in `resourceId`. */
const idOf = ({ vmId, resourceId }: Values): Value =>
  typeof resourceId === "string" ? Number(resourceId) : vmId;

/** Whether options turn the firewall on of the VM `id`, which the cluster chooses when it is not given. */
function mayTurnOn({ enabled, vmId, containerId }: Values, id: Value): boolean {
  const given = vmId ?? containerId;
  return (
    (enabled === true || enabled === UNKNOWN) &&
    (given === id || [given, id].some((value) => value === undefined || value === UNKNOWN))
  );
}
