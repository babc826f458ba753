import type { Resource, Stack } from "./resource.ts";

/** What the provider makes a guest with: `VmLegacy`, its other forms and clones, a Linux container; the last two are older names. */
const MACHINES: ReadonlySet<string> = new Set([
  "proxmoxve:index/vmLegacy:VmLegacy",
  "proxmoxve:index/vm:Vm",
  "proxmoxve:index/vm2Legacy:Vm2Legacy",
  "proxmoxve:cloned/vm:Vm",
  "proxmoxve:cloned/vmLegacy:VmLegacy",
  "proxmoxve:index/containerLegacy:ContainerLegacy",
  "proxmoxve:VM/virtualMachine:VirtualMachine",
  "proxmoxve:CT/container:Container",
]);

export const isVirtualMachine = ({ type }: Resource): boolean => MACHINES.has(type);

/** The HermesGuest that a resource belongs to, directly or through other components. */
export function guestOf({ around }: Resource): Resource | undefined {
  return around.findLast(({ type }) => type === "hermes:index:HermesGuest");
}

/**
 * What may have to do with a resource. Two deployments of one stack that stand in a component each have nothing to do
 * with each other; what stands beside or above such a component belongs to both.
 */
export function neighbours(resource: Resource, stack: Stack): Resource[] {
  const own = scope(resource);
  return stack.all.filter((other) => {
    const theirs = scope(other);
    // Stryker disable next-line EqualityOperator: of two that are equally long either may be the outer one
    const [outer, inner] = own.length < theirs.length ? [own, theirs] : [theirs, own];
    return outer.every((component, depth) => component === inner[depth]);
  });
}

/** The components around a resource's guest, or around itself where it is in none: from the outside in. */
const scope = (resource: Resource): readonly Resource[] => (guestOf(resource) ?? resource).around;

/** The guests that a resource may be in: its own, where it belongs to one, else all that have to do with it. */
export function guestsOf(resource: Resource, stack: Stack): Resource[] {
  const own = guestOf(resource);
  if (own !== undefined) return [own];
  return neighbours(resource, stack).filter(({ type }) => type === "hermes:index:HermesGuest");
}
