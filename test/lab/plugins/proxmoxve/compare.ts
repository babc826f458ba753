// What differs between a VM as it was last seen and as it is wanted.

import { type Change, changes, isIgnored } from "../base/diff.ts";
import { isObject, pathText, UNKNOWN, type Value, type Values } from "../base/values.ts";

export type VmChange = Change & { readonly replace?: boolean };

/** Left out of the program, these stay as PVE has them ("computed" in Terraform's words). */
const COMPUTED = ["bootOrders", "hotplug", "networkDevices", "vga", "vmId"];
const COMPUTED_OF_CPU = ["units"];
const COMPUTED_OF_DISK = ["fileFormat", "pathInDatastore"];
const COMPUTED_OF_NETWORK = ["macAddress"];
const COMPUTED_OF_CLOUD = [
  "fileFormat",
  "interface",
  "metaDataFileId",
  "networkDataFileId",
  "type",
  "upgrade",
  "userDataFileId",
  "vendorDataFileId",
];

/** A changed cloud-init file makes a new VM, unless it is ignored. */
const REPLACES = /^(vmId|nodeName|initialization\.((user|vendor|network|meta)DataFileId|type))$/;

/** Properties that only tell, and are no arguments. */
export const ONLY_TOLD = ["ipv4Addresses", "ipv6Addresses", "macAddresses", "networkInterfaceNames"];

export function compareVm(id: string, state: Values, inputs: Values, ignored: readonly string[]): VmChange[] {
  const keys = new Set([...Object.keys(state), ...Object.keys(inputs)]);
  const found = [...keys]
    .filter((key) => !ONLY_TOLD.includes(key) && !key.startsWith("__"))
    .flatMap((key) => compareProperty(key, state[key], inputs[key]));
  return (
    found
      .filter(({ path }) => !isIgnored(path, ignored))
      .filter(({ path }) => !(path[0] === "started" && inputs["template"] === true))
      // A VMID that the state did not know, but that is the right one, is no other VM.
      .filter(({ path }) => !(path[0] === "vmId" && String(inputs["vmId"]) === id))
      .map((change) => ({ ...change, replace: REPLACES.test(pathText(change.path)) }))
  );
}

function compareProperty(key: string, before: Value | undefined, after: Value | undefined): Change[] {
  if (after === undefined && COMPUTED.includes(key)) return [];
  if (key === "disks" && Array.isArray(before) && Array.isArray(after)) return compareDisks(before, after);
  let wanted = after;
  if (key === "networkDevices") wanted = eachWithComputed(before, after, COMPUTED_OF_NETWORK);
  if (key === "initialization") wanted = withComputed(before, after, COMPUTED_OF_CLOUD);
  if (key === "cpu") wanted = withComputed(before, after, COMPUTED_OF_CPU);
  return changes(canonical(before), canonical(wanted), [key]);
}

/** By their interface: another order is no change. */
function compareDisks(before: readonly Value[], after: readonly Value[]): Change[] {
  const slot = (disk: Value): Value | undefined => (isObject(disk) ? disk["interface"] : undefined);
  const found = after.flatMap((disk, index) => {
    const old = before.find((each) => slot(each) === slot(disk));
    return changes(canonical(old), canonical(withComputed(old, disk, COMPUTED_OF_DISK)), ["disks", index]);
  });
  const removed = before.flatMap((disk, index): Change[] => {
    const stays = after.some((each) => slot(each) === slot(disk));
    return stays ? [] : [{ path: ["disks", index], kind: "delete" }];
  });
  return [...found, ...removed];
}

/** What a preview can tell: what PVE will choose is unknown, or as it is now. */
export function previewVm(inputs: Values, state: Values | undefined): Values {
  const kept = (key: string): Value => state?.[key] ?? UNKNOWN;
  const chosen = Object.fromEntries([...COMPUTED, ...ONLY_TOLD].map((key) => [key, kept(key)]));
  const known = { ...chosen, ...inputs };
  const each = (
    key: string,
    same: (old: Value, index: number, item: Values) => boolean,
    fields: readonly string[],
  ): Values => {
    const [now, old] = [known[key], state?.[key]];
    if (!Array.isArray(now)) return {};
    const complete = now.map((item, index) => {
      const before =
        Array.isArray(old) && isObject(item) ? old.find((one, at) => same(one, at - index, item)) : undefined;
      const unknown = Object.fromEntries(fields.map((field) => [field, UNKNOWN]));
      return withComputed(isObject(before) ? { ...unknown, ...before } : unknown, item, fields) ?? null;
    });
    return { [key]: complete };
  };
  return {
    ...known,
    ...each(
      "disks",
      (old, _, disk) => isObject(old) && old["interface"] === disk["interface"],
      COMPUTED_OF_DISK,
    ),
    ...each("networkDevices", (_, distance) => distance === 0, COMPUTED_OF_NETWORK),
  };
}

function eachWithComputed(
  before: Value | undefined,
  after: Value | undefined,
  keys: readonly string[],
): Value | undefined {
  if (!Array.isArray(after)) return after;
  const old = Array.isArray(before) ? before : [];
  return after.map((item, index) => withComputed(old[index], item, keys) ?? null);
}

function withComputed(
  before: Value | undefined,
  after: Value | undefined,
  keys: readonly string[],
): Value | undefined {
  if (!isObject(before) || !isObject(after)) return after;
  const kept = keys.filter((key) => key in before && (after[key] === undefined || after[key] === ""));
  return { ...after, ...Object.fromEntries(kept.map((key) => [key, before[key] ?? null])) };
}

/** Terraform does not tell "empty" from "not there". */
function canonical(value: Value | undefined): Value | undefined {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => canonical(item) ?? null);
  if (!isObject(value)) return value === "" || value === null ? undefined : value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = canonical(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
