import { describe, expect, it } from "vitest";
import type { Content } from "../reading/content.ts";
import { guestOf, guestsOf, isVirtualMachine, neighbours } from "./guests.ts";
import type { Resource, Stack } from "./resource.ts";

const NOTHING: Content = {
  texts: [],
  commands: [],
  settings: [],
  launches: [],
  fileSystems: [],
  unread: [],
};
const resource = (type: string, name: string, ...around: Resource[]): Resource => ({
  type,
  name,
  urn: `${type}::${name}`,
  around,
  protect: false,
  props: {},
  content: NOTHING,
});
const stackOf = (...all: Resource[]): Stack => ({ all, of: () => [], config: () => undefined });
const names = (found: readonly Resource[]): string[] => found.map(({ name }) => name);

const GUEST = "hermes:index:HermesGuest";
const east = resource("my:Site", "east");
const west = resource("my:Site", "west");
const eastGuest = resource(GUEST, "east guest", east);
const westGuest = resource(GUEST, "west guest", west);
const eastVm = resource("vm", "east VM", east, eastGuest);
const eastContainer = resource("container", "east container", east);
const shared = resource("container", "shared");
const stack = stackOf(east, eastGuest, eastVm, eastContainer, west, westGuest, shared);

describe("a machine", () => {
  it.each([
    "index/vmLegacy:VmLegacy",
    "index/vm:Vm",
    "index/vm2Legacy:Vm2Legacy",
    "cloned/vm:Vm",
    "cloned/vmLegacy:VmLegacy",
    "index/containerLegacy:ContainerLegacy",
    "VM/virtualMachine:VirtualMachine",
    "CT/container:Container",
  ])("is what the provider makes as %s", (type) => {
    expect(isVirtualMachine(resource(`proxmoxve:${type}`, "it"))).toBe(true);
  });

  it("is nothing else that the provider makes", () => {
    expect(isVirtualMachine(resource("proxmoxve:index/fileLegacy:FileLegacy", "it"))).toBe(false);
  });
});

describe("the guest of a resource", () => {
  it("is the innermost one around it, directly or through other components", () => {
    const disk = resource("disk", "disk", east, eastGuest, resource("my:Disks", "disks"));
    expect(guestOf(disk)).toBe(eastGuest);
    expect(guestOf(resource("vm", "nested", westGuest, eastGuest))).toBe(eastGuest);
    expect(guestOf(eastContainer)).toBeUndefined();
    expect(guestOf(eastGuest)).toBeUndefined();
  });

  it("is the only one that it may be in", () => {
    expect(guestsOf(eastVm, stack)).toEqual([eastGuest]);
  });

  it("may be any that has to do with it, where it is in none", () => {
    expect(names(guestsOf(eastContainer, stack))).toEqual(["east guest"]);
    expect(names(guestsOf(shared, stack))).toEqual(["east guest", "west guest"]);
  });
});

describe("two resources", () => {
  it("have nothing to do with each other in components that stand side by side", () => {
    expect(names(neighbours(eastContainer, stack))).not.toContain("west guest");
    expect(names(neighbours(westGuest, stack))).toEqual(["east", "west", "west guest", "shared"]);
  });

  it("have to do with each other in one component, in its guest, and beside or above it", () => {
    expect(names(neighbours(eastVm, stack))).toEqual([
      "east",
      "east guest",
      "east VM",
      "east container",
      "west",
      "shared",
    ]);
    expect(neighbours(shared, stack)).toEqual(stack.all);
  });

  it("have to do with each other where one stands in a component beside the other", () => {
    const disk = resource("disk", "disk", east, resource("my:Rack", "rack", east));
    expect(neighbours(eastContainer, stackOf(disk))).toEqual([disk]);
    expect(neighbours(disk, stackOf(eastContainer))).toEqual([eastContainer]);
    expect(neighbours(westGuest, stackOf(disk))).toEqual([]);
  });
});
