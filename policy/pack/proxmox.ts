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
  const parent = stack.all.find(({ urn }) => urn === machine.parent);
  return parent === undefined || parent.type === "hermes:index:HermesGuest" ? parent : guestOf(parent, stack);
}
