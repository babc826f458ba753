import type { Gate, Problem } from "../pack/gate.ts";
import { guestOf, isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Value } from "../pack/resource.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isValues } from "../reading/sources.ts";
import { type Exceptions, exceptions } from "../values/exceptions.ts";

const description =
  "Names of VM resources that hold nothing to keep, or that are to be deleted in earnest with the next run.";

/** A destroy does not reach the VM or the disk with the data. */
export const protectedState: Gate<Exceptions> = {
  id: "protected-state",
  title: "Protected state",
  level: "mandatory",
  reason: "A replaced or destroyed VM takes its disks with it, and what Hermes remembers is on one of them.",
  remediation: "Set `protect: true` on the resource, and hermes:guest.onDestroy to refuse or keep-data.",
  config: exceptions(description),
  check: (resource, { except }) =>
    isVirtualMachine(resource) && !except.includes(resource.name)
      ? [...unprotected(resource), ...deletesDisks(resource)]
      : [],
};

function unprotected(machine: Resource): Problem[] {
  if (machine.protect || released(machine)) return [];
  return [
    { at: "options › protect", message: "is not set, so a `pulumi destroy` or a replacement deletes it" },
  ];
}

/**
 * `onDestroy: keep-data` says in words that the guest may go. That holds for a VM whose data is on a disk of another
 * VM: Proxmox deletes with a VM only the disks that it owns.
 */
function released(machine: Resource): boolean {
  const onDestroy = guestOf(machine)?.props["onDestroy"];
  const { disks } = machine.props;
  const listed: readonly Value[] = Array.isArray(disks) ? disks : [disks];
  const attached = listed.some(
    (disk) => disk === UNKNOWN || (isValues(disk) && Boolean(disk["pathInDatastore"])),
  );
  return attached && (onDestroy === "keep-data" || onDestroy === UNKNOWN);
}

/** All but clones delete them by default (documentation of the provider 8.6.0); a Linux container has no such disks. */
function deletesDisks({ type, props }: Resource): Problem[] {
  const at = "deleteUnreferencedDisksOnDestroy";
  const value = props[at];
  const byDefault = !/Container|:cloned\//.test(type);
  if (value === false || value === UNKNOWN || (value === undefined && !byDefault)) return [];
  const fix = "Set it to false.";
  return value === undefined
    ? [
        {
          at,
          message:
            "is not set and is true by default: with the VM go disks that its configuration does not name",
          fix,
        },
      ]
    : [{ at, value, message: "deletes disks that the VM's configuration does not name", fix }];
}
