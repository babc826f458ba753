import type { Gate, Problem } from "../pack/gate.ts";
import { guestOf, isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Stack, Value, Values } from "../pack/resource.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isValues } from "../reading/sources.ts";

interface Settings {
  readonly except: readonly string[];
}

/** Advice: a backup job of the cluster covers the VM, and the VM's data disk is in it. */
export const backupCoverage: Gate<Settings> = {
  id: "backup-coverage",
  title: "Backup of the VM",
  level: "advisory",
  when: "end",
  reason: "What a lost disk takes with it comes back only from a backup.",
  remediation: "Add the VM to a backup job, or name the job that covers it in hermes:guest.backupPolicy.",
  config: {
    // Stryker disable next-line ArrayDeclaration: its replacement is the name of no resource
    defaults: { except: [] },
    properties: {
      except: {
        type: "array",
        items: { type: "string" },
        description:
          "Names of VM resources that hold nothing to keep, or that a backup job outside the stack covers.",
      },
    },
  },
  check: (resource, { except }, stack) => {
    const { type, props } = resource;
    if (type === "hermes:index:HermesGuest")
      return props["kind"] === "microvm" ? [] : uncovered(props, stack);
    // A VM that never starts owns the disk of another VM, whose backup holds it.
    if (!isVirtualMachine(resource) || except.includes(resource.name) || props["started"] === false)
      return [];
    const guest = guestOf(resource, stack);
    const alone = guest === undefined || guest.props["kind"] === "microvm";
    return [...(alone ? uncovered(props, stack) : []), ...leftOut(resource)];
  },
};

function uncovered(props: Values, stack: Stack): Problem[] {
  const { vmId, backupPolicy } = props;
  const jobs = stack.of("proxmoxve:backup/job:Job");
  if (backupPolicy === UNKNOWN || jobs.some((job) => covers(job, props, stack))) return [];
  if (jobs.length > 0) return [{ at: "vmId", value: vmId, message: "is in no backup job of this stack" }];
  const named =
    typeof backupPolicy === "string" && !/^\s*(none|no|off|never|-|todo|n\/a)?\s*$/i.test(backupPolicy);
  return named ? [] : [{ at: "backupPolicy", value: backupPolicy, message: "names no backup job" }];
}

/** VMIDs are numbers here and texts there. */
const same = (value: Value, wanted: Value): boolean =>
  typeof value !== "object" && String(value) === String(wanted);

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
    Object.entries(Object(props[list]) as Values).flatMap(([key, disk]) => {
      const backup = isValues(disk) ? disk["backup"] : true;
      return backup === false || (list === "mountPoints" && backup === undefined)
        ? [
            {
              at: `${list}.${key}.backup`,
              value: backup,
              message: "leaves the disk out of every backup",
              fix: "Set it to true.",
            },
          ]
        : [];
    }),
  );
}
