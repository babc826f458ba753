// Changes a VM in place: only what differs, and with a restart where PVE applies it no other way.

import type { Context } from "../base/resource.ts";
import type { Params } from "./api.ts";
import type { VmChange } from "./compare.ts";
import { type Config, volumeOf } from "./config.ts";
import { diskSlots } from "./decode.ts";
import type { Disk, Vm } from "./defaults.ts";
import { diskText, GROUPS } from "./encode.ts";
import type { Machine } from "./machine.ts";

type Plan = { readonly params: Params; readonly resizes: readonly Disk[]; readonly restart: boolean };

export async function updateVm(
  context: Context,
  machine: Machine,
  before: Vm,
  after: Vm,
  found: readonly VmChange[],
): Promise<void> {
  const changed = new Set(found.map(({ path }) => String(path[0])));
  if (before.template && !after.template)
    throw new Error(`VM ${machine.vmId}: a template cannot become a VM again`);
  const plan = await planChanges(machine, before, after, changed, found);
  await machine.configure(plan.params);
  if (changed.has("template") && after.template) {
    await machine.stop(after);
    await machine.makeTemplate();
    return;
  }
  if (changed.has("initialization") && !after.template) await machine.rebuildCloudInit();
  const running = await machine.isRunning();
  if (plan.restart && running && !after.rebootAfterUpdate) {
    if (plan.resizes.length > 0) {
      throw new Error(
        `VM ${machine.vmId}: cannot resize disks: other changes need a restart, and rebootAfterUpdate is false`,
      );
    }
    context.log(
      "warning",
      "a reboot is required to apply configuration changes, but rebootAfterUpdate is false. Please reboot the VM manually.",
    );
  } else if (plan.restart && running) {
    await machine.stop(after);
  }
  for (const disk of plan.resizes) await machine.resize(disk.interface, disk.size);
  const runs = await machine.isRunning();
  if (after.started && !after.template && !runs) await machine.start(after);
  if (!after.started && changed.has("started") && runs) await machine.stop(after);
}

async function planChanges(
  machine: Machine,
  before: Vm,
  after: Vm,
  changed: ReadonlySet<string>,
  found: readonly VmChange[],
): Promise<Plan> {
  const config = await machine.config();
  const groups = Object.entries(GROUPS).filter(([property]) => changed.has(property));
  const groupParams: Params = Object.assign({}, ...groups.map(([, group]) => group.params(after)));
  const gone = Object.keys(config).filter(
    (key) => groups.some(([, { owns }]) => owns?.test(key)) && !(key in groupParams),
  );
  const cdrom =
    changed.has("cdrom") && before.cdrom.interface !== after.cdrom.interface ? [before.cdrom.interface] : [];
  const disks = changed.has("disks") ? planDisks(machine.vmId, config, before, after, found) : undefined;
  const removed = [...gone, ...cdrom, ...(disks?.removed ?? [])];
  const list: Params = removed.length > 0 ? { delete: removed.join(",") } : {};
  return {
    params: { ...groupParams, ...disks?.params, ...list },
    resizes: disks?.resizes ?? [],
    restart: groups.some(([, { restart }]) => restart === true) || (disks?.restart ?? false),
  };
}

function planDisks(vmId: number, config: Config, before: Vm, after: Vm, found: readonly VmChange[]) {
  const present = new Map(diskSlots(config, vmId));
  const params: { [slot: string]: string } = {};
  const resizes: Disk[] = [];
  let restart = false;
  for (const [index, disk] of after.disks.entries()) {
    const slot = disk.interface;
    const old = before.disks.find((each) => each.interface === slot);
    const value = present.get(slot);
    if (value === undefined || old === undefined) {
      params[slot] = diskText(disk);
      continue;
    }
    const touched = found
      .filter(({ path }) => path[0] === "disks" && path[1] === index)
      .map(({ path }) => String(path[2]));
    if (touched.length === 0) continue;
    refuseImpossible(vmId, old, disk);
    if (disk.size > old.size) resizes.push(disk);
    if (touched.includes("aio") || touched.includes("queues")) restart = true;
    // As the real one: any difference sends all options again, even the speed that differs for ever.
    if (touched.some((name) => name !== "size" && name !== "importFrom"))
      params[slot] = diskText(disk, volumeOf(value));
  }
  const removed = [...present.keys()].filter((slot) => !after.disks.some((disk) => disk.interface === slot));
  const boot = removed.find((slot) => after.bootOrders?.includes(slot));
  if (boot !== undefined) {
    throw new Error(`VM ${vmId}: cannot delete boot disk ${boot}: take it out of bootOrders first`);
  }
  return { params, resizes, removed, restart };
}

function refuseImpossible(vmId: number, old: Disk, disk: Disk): void {
  const name = `${disk.interface} (${old.datastoreId}:${old.pathInDatastore}) in VM ${vmId}`;
  const owned = new RegExp(`(^|[/-])vm-${vmId}-`).test(old.pathInDatastore ?? "");
  if (disk.size < old.size) {
    throw new Error(`Cannot shrink ${name} from ${old.size} to ${disk.size} GiB: PVE can only grow a disk`);
  }
  if (disk.size > old.size && !owned)
    throw new Error(`Cannot resize ${name}: another VM owns it; resize it there`);
  if (disk.datastoreId !== old.datastoreId) {
    throw new Error(
      `Cannot move ${name} to ${disk.datastoreId}: this stand-in moves no disks; the real provider does`,
    );
  }
}
