import type { Gate, Problem } from "../pack/gate.ts";
import { guestOf, isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Stack, Value, Values } from "../pack/resource.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isKnown } from "../reading/launches.ts";
import { isValues } from "../reading/sources.ts";
import { type Exceptions, exceptions } from "../values/exceptions.ts";

const description =
  "Names of VM resources that hold nothing to keep, or that a backup job outside the stack covers.";

/** Advice: a backup job of the cluster covers the VM, and the VM's data disk is in it. */
export const backupCoverage: Gate<Exceptions> = {
  id: "backup-coverage",
  title: "Backup of the VM",
  level: "advisory",
  when: "end",
  reason: "What a lost disk takes with it comes back only from a backup.",
  remediation: "Add the VM to a backup job, or name the job that covers it in hermes:guest.backupPolicy.",
  config: exceptions(description),
  check: (resource, { except }, stack) => {
    const { type, props } = resource;
    if (type === "hermes:index:HermesGuest") return ofGuest(props, stack);
    // A VM that never starts owns the disk of another VM, whose backup holds it.
    if (!isVirtualMachine(resource) || except.includes(resource.name) || props["started"] === false)
      return [];
    const guest = guestOf(resource);
    const alone = guest === undefined || guest.props["kind"] === "microvm";
    return [...(alone ? ofVirtualMachine(props, stack) : []), ...leftOut(resource)];
  },
};

function ofGuest(props: Values, stack: Stack): Problem[] {
  const { kind, backupPolicy } = props;
  if (kind === "microvm" || backupPolicy === UNKNOWN || isCovered(props, stack)) return [];
  if (jobsOf(stack).length > 0) return [inNoJob(props)];
  const at = "backupPolicy";
  if (backupPolicy === undefined) return [{ at, message: "is not set, so no backup job is named" }];
  const named =
    typeof backupPolicy === "string" && !/^\s*(none|no|off|never|-|todo|n\/a)?\s*$/i.test(backupPolicy);
  return named ? [] : [{ at, value: backupPolicy, message: "names no backup job" }];
}

/** One that no HermesGuest stands for. */
function ofVirtualMachine(props: Values, stack: Stack): Problem[] {
  const fix =
    "Add the VM to a backup job; when one outside the stack covers it, name the VM in the gate's setting `except`.";
  return isCovered(props, stack) ? [] : [{ ...inNoJob(props), fix }];
}

const jobsOf = (stack: Stack): readonly Resource[] => stack.of("proxmoxve:backup/job:Job");
const isCovered = (props: Values, stack: Stack): boolean =>
  jobsOf(stack).some((job) => covers(job, props, stack));
/** Without a VMID the cluster chooses one. */
const inNoJob = ({ vmId }: Values): Problem => ({
  at: "vmId",
  ...(isKnown(vmId) ? { value: vmId } : {}),
  message: "is in no backup job of this stack",
});

/** VMIDs are numbers here and texts there. */
const same = (value: Value, wanted: Value): boolean =>
  typeof value !== "object" && typeof wanted !== "object" && String(value) === String(wanted);

/** Whether a job covers a VM, as far as that is known. */
function covers({ props: job }: Resource, { vmId, nodeName }: Values, stack: Stack): boolean {
  const maybe = (value: Value, wanted: Value) =>
    value === UNKNOWN || wanted === UNKNOWN || wanted === undefined || same(value, wanted);
  const listed = (list: Value) =>
    list === UNKNOWN || (Array.isArray(list) && list.some((id: Value) => maybe(id, vmId)));
  const { all, vmids, pool, node, excludes } = job;
  const pooled = () =>
    stack.all.some(({ props }) => maybe(props["vmId"], vmId) && maybe(props["poolId"], pool));
  const chosen = all === true || all === UNKNOWN || listed(vmids) || (pool !== undefined && pooled());
  const excluded = Array.isArray(excludes) && excludes.some((id: Value) => same(id, vmId));
  return job["enabled"] !== false && chosen && !excluded && (node === undefined || maybe(node, nodeName));
}

/** Disks and mount points that are in no backup. A mount point of a Linux container is in none by default. */
function leftOut({ props }: Resource): Problem[] {
  return ["disks", "disk", "mountPoints"].flatMap((list) =>
    Object.entries(Object(props[list]) as Values).flatMap(([key, disk]): Problem[] => {
      const backup = isValues(disk) ? disk["backup"] : true;
      const at = `${list}.${key}.backup`;
      const fix = "Set it to true.";
      if (backup === false)
        return [{ at, value: backup, message: "leaves the disk out of every backup", fix }];
      if (backup !== undefined || list !== "mountPoints") return [];
      return [{ at, message: "is not set, so the mount point is in no backup", fix }];
    }),
  );
}
