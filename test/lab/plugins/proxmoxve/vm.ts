// proxmoxve:index/vmLegacy:VmLegacy.

import { type Failure, failure } from "../base/check.ts";
import {
  type Comparison,
  type Context,
  type Created,
  type Existing,
  type Found,
  PartialFailure,
  type Resource,
} from "../base/resource.ts";
import { isObject, isUnknown, type Value, type Values } from "../base/values.ts";
import { PveError } from "./api.ts";
import { compareVm, ONLY_TOLD, previewVm } from "./compare.ts";
import { CARRIED_OUT, type Vm, withDefaults } from "./defaults.ts";
import { createParams } from "./encode.ts";
import { Machine } from "./machine.ts";
import { milliseconds } from "./text.ts";
import { updateVm } from "./update.ts";

export const vmLegacy: Resource = {
  sdk: { file: "vmLegacy", args: "VmLegacyArgs" },
  check,
  normalize: withDefaults,
  diff: ({ id, state, inputs, ignoreChanges }) => ({
    changes: compareVm(id, state, inputs, ignoreChanges),
    // Two VMs cannot have one VMID at one time.
    deleteBeforeReplace: inputs["vmId"] === state["vmId"],
  }),
  preview: (inputs, existing) => previewVm(inputs, existing?.state),
  create,
  read,
  update,
  delete: remove,
};

function check(inputs: Values): Failure[] {
  const unknown = Object.keys(inputs).filter((key) => !key.startsWith("__") && !CARRIED_OUT.has(key));
  const found = unknown
    .filter((key) => !["", false, 0, null].includes(inputs[key] as string))
    .map((key) => failure([key], "is not carried out by this stand-in; the real provider proxmoxve does"));
  if (inputs["nodeName"] === undefined) found.push(failure(["nodeName"], "is missing: it is required"));
  for (const [index, disk] of (Array.isArray(inputs["disks"]) ? inputs["disks"] : []).entries()) {
    if (!isObject(disk)) continue;
    const at = (name: string) => ["disks", index, name];
    const { fileId, importFrom, interface: slot, serial } = disk;
    if (typeof fileId === "string" && fileId !== "") {
      found.push(failure(at("fileId"), "needs SSH to the node, which this stand-in has not: use importFrom"));
    }
    if (
      typeof importFrom === "string" &&
      importFrom !== "" &&
      !isUnknown(importFrom) &&
      !/^[^:\s]+:.+/.test(importFrom)
    ) {
      found.push(failure(at("importFrom"), `is ${JSON.stringify(importFrom)}; allowed is STORAGE:PATH`));
    }
    if (typeof slot === "string" && !isUnknown(slot) && !/^(ide|sata|scsi|virtio)\d+$/.test(slot)) {
      found.push(
        failure(at("interface"), `is ${JSON.stringify(slot)}; allowed is ideN, sataN, scsiN or virtioN`),
      );
    }
    if (typeof serial === "string" && !isUnknown(serial) && serial.length > 20) {
      found.push(failure(at("serial"), `has ${serial.length} characters; allowed are 20`));
    }
  }
  const timeout = isObject(inputs["agent"]) ? inputs["agent"]["timeout"] : undefined;
  if (typeof timeout === "string" && !isUnknown(timeout)) {
    try {
      milliseconds(timeout);
    } catch (error) {
      found.push({ property: "agent.timeout", reason: (error as Error).message });
    }
  }
  return found;
}

async function create(context: Context, inputs: Values): Promise<Created> {
  const vm = inputs as unknown as Vm;
  const vmId = vm.vmId ?? (await Machine.nextId(context));
  const machine = new Machine(context, vm.nodeName, vmId);
  await machine.create(createParams(vm, vmId));
  try {
    for (const disk of vm.disks) if (disk.importFrom !== "") await machine.resize(disk.interface, disk.size);
    if (vm.template) await machine.makeTemplate();
    else if (vm.started) {
      await machine.start(vm);
      if (vm.reboot) {
        await machine.stop(vm);
        await machine.start(vm);
      }
    }
    return { id: String(vmId), outputs: await machine.read(vm) };
  } catch (error) {
    throw new PartialFailure(error, { id: String(vmId), outputs: await leftBehind(context, vm, vmId) });
  }
}

/** What is there after a failure, as far as it can be seen: the next run goes on from it. */
async function leftBehind(context: Context, vm: Vm, vmId: number): Promise<Values> {
  // The context may be cancelled, and must not wait for an agent.
  const brief = { ...context, signal: AbortSignal.timeout(15_000) };
  const impatient = { ...vm, agent: { ...vm.agent, waitForIp: { disabled: true } } };
  const fallback: Values = { ...(vm as unknown as Values), vmId, started: false };
  const seen = await new Machine(brief, vm.nodeName, vmId).read(impatient).catch(() => fallback);
  const agent = isObject(seen["agent"]) ? seen["agent"] : {};
  const { waitForIp: _, ...kept } = agent;
  return {
    ...seen,
    agent: { ...kept, ...(vm.agent.waitForIp === undefined ? {} : { waitForIp: vm.agent.waitForIp }) },
  };
}

async function read(context: Context, { id, state, oldInputs }: Existing): Promise<Found | undefined> {
  const [, importedFrom, digits] = /^(?:([^/]+)\/)?(\d+)$/.exec(id) ?? [];
  if (digits === undefined)
    throw new Error(`the id of a VM is ${JSON.stringify(id)}; allowed is NODE/VMID or VMID`);
  const vmId = Number(digits);
  const node = await Machine.find(context, vmId);
  if (node === undefined) return undefined;
  const isImport = Object.keys(state).length === 0;
  if (isImport && importedFrom === undefined)
    throw new Error(`cannot import VM ${id}: want NODE/VMID, such as ${node}/${id}`);
  // An import knows no program yet: it takes the disks and devices as they are.
  const nothing = withDefaults({ nodeName: node, disks: [] });
  const known = (isImport ? nothing : state) as unknown as Vm;
  try {
    const outputs = await new Machine(context, node, vmId).read(known);
    return { id: digits, outputs, inputs: inputsFrom(isImport ? undefined : oldInputs, outputs) };
  } catch (error) {
    if (error instanceof PveError && error.isMissing) return undefined;
    throw error;
  }
}

/** The inputs that would give what is there: the old ones, with what has drifted. */
function inputsFrom(old: Values | undefined, outputs: Values): Values {
  const wanted =
    old === undefined ? Object.keys(outputs).filter((key) => !ONLY_TOLD.includes(key)) : Object.keys(old);
  return Object.fromEntries(wanted.map((key) => [key, drifted(old?.[key], outputs[key])]));
}

function drifted(old: Value | undefined, now: Value | undefined): Value {
  if (now === undefined) return old ?? null;
  if (Array.isArray(old) && Array.isArray(now) && old.every(isObject)) {
    return now.map((item, index) => drifted(old[index], item));
  }
  if (!isObject(old) || !isObject(now)) return now;
  return Object.fromEntries(Object.keys(old).map((key) => [key, drifted(old[key], now[key])]));
}

async function update(context: Context, compared: Comparison): Promise<Values> {
  const { id, state, inputs, ignoreChanges } = compared;
  const found = compareVm(id, state, inputs, ignoreChanges);
  const before = state as unknown as Vm;
  const machine = new Machine(context, before.nodeName, Number(id));
  const wanted = { ...(inputs as unknown as Vm), vmId: Number(id) };
  await updateVm(context, machine, before, wanted, found);
  return machine.read(wanted);
}

async function remove(context: Context, { id, state }: Existing): Promise<void> {
  const vm = withDefaults(state) as unknown as Vm;
  const machine = new Machine(context, vm.nodeName, Number(id));
  try {
    // The real one too stops it before it learns that protection forbids to destroy it.
    await machine.stop(vm, vm.stopOnDestroy);
    await machine.destroy(vm);
  } catch (error) {
    if (error instanceof PveError && error.isMissing) return;
    throw error;
  }
}
