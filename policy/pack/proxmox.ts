import type { Resource, Stack } from "./resource.ts";

/** What the provider makes a guest with: `VmLegacy`, its other forms and clones, a Linux container. */
const MACHINES: ReadonlySet<string> = new Set([
  "proxmoxve:index/vmLegacy:VmLegacy",
  "proxmoxve:index/vm:Vm",
  "proxmoxve:index/vm2Legacy:Vm2Legacy",
  "proxmoxve:cloned/vm:Vm",
  "proxmoxve:cloned/vmLegacy:VmLegacy",
  "proxmoxve:index/containerLegacy:ContainerLegacy",
]);

export const isVirtualMachine = ({ type }: Resource): boolean => MACHINES.has(type);

/** The HermesGuest that a VM belongs to, directly or through other components. */
export function guestOf(machine: Resource, stack: Stack): Resource | undefined {
  const guests = stack.of("hermes:index:HermesGuest");
  const direct = guests.find(({ urn }) => urn === machine.parent);
  // A URN holds the types of all parents, but not their names.
  return direct ?? (machine.urn.includes("hermes:index:HermesGuest$") ? guests.at(-1) : undefined);
}
