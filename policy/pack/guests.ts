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

/**
 * What may have to do with a resource. Two deployments of one stack that stand in a component each have nothing to do
 * with each other; what stands beside or above such a component belongs to both.
 */
export function neighbours(resource: Resource, stack: Stack): Resource[] {
  const own = scopes(resource, stack);
  return stack.all.filter((other) => {
    const theirs = scopes(other, stack);
    return (
      own.every((urn, index) => urn === theirs.at(index)) ||
      theirs.every((urn, index) => urn === own.at(index))
    );
  });
}

/** URNs of the components around a resource's guest, or around itself where it is in none: from the outside in. */
function scopes(resource: Resource, stack: Stack): string[] {
  const inner = guestOf(resource, stack) ?? resource;
  const parent = stack.all.find(({ urn, type }) => urn === inner.parent && type !== "pulumi:pulumi:Stack");
  return parent === undefined ? [] : [...scopes(parent, stack), parent.urn];
}

/** The guests that a resource may be in: its own, where it belongs to one, else all that have to do with it. */
export function guestsOf(resource: Resource, stack: Stack): Resource[] {
  const own = guestOf(resource, stack);
  if (own !== undefined) return [own];
  return neighbours(resource, stack).filter(({ type }) => type === "hermes:index:HermesGuest");
}
