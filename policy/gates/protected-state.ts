import type { Gate, Problem } from "../pack/gate.ts";
import { guestOf, isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Value } from "../pack/resource.ts";
import { option, program, typed } from "../reading/argv.ts";
import { type Command, UNKNOWN } from "../reading/content.ts";
import { normalised } from "../reading/launches.ts";
import { isValues } from "../reading/sources.ts";
import { type Exceptions, exceptions } from "../values/exceptions.ts";

const description =
  "Names of VM resources, or of those with commands that delete VMs or disks, that hold nothing to keep, or that are to be deleted in earnest with the next run.";

/** A destroy does not reach the VM or the disk with the data. */
export const protectedState: Gate<Exceptions> = {
  id: "protected-state",
  title: "Protected state",
  level: "mandatory",
  reason: "A replaced or destroyed VM takes its disks with it, and what Hermes remembers is on one of them.",
  remediation: "Set `protect: true` on the resource, and hermes:guest.onDestroy to refuse or keep-data.",
  config: exceptions(description),
  check: (resource, { except }) => {
    if (except.includes(resource.name)) return [];
    if (isVirtualMachine(resource)) return [...unprotected(resource), ...deletesDisks(resource)];
    return [...deletesData(resource), ...resource.content.commands.filter(deletesState).map(deletion)];
  },
};

/** A microvm is no resource that could be protected: what its destroy takes along is decided by this key alone. */
function deletesData({ type, props }: Resource): Problem[] {
  const { onDestroy } = props;
  if (type !== "hermes:index:HermesGuest" || onDestroy !== "delete-data") return [];
  return [
    {
      at: "onDestroy",
      value: onDestroy,
      message: "lets a destroy delete the disks with what Hermes remembers",
      fix: "Set it to keep-data or refuse; for a destroy in earnest name the resource in the gate's setting `except`.",
    },
  ];
}

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

/** Subcommands of qm(1), pct(1), pvesm(1) and pvesh(1) that delete a VM or a disk. */
const DELETES =
  /^((qm|pct) destroy|qm (disk )?unlink|pvesm free|pvesh delete \/(unknown|nodes\/[^/]+\/((qemu|lxc)\/[^/]+|storage\/[^/]+\/content\/.*)))( |$)/s;
/** Disks by their keys in a VM's configuration; the third IDE drive is by custom the one of cloud-init. */
const DISK = /unknown|(scsi|virtio|sata|mp|unused)\d|ide[013]/;

function deletesState(command: Command): boolean {
  const name = String(program(command));
  const words = command.words.slice(1).map((word) => (word === UNKNOWN ? "unknown" : word));
  const [verb, second] = [String(words[0]), String(words[1])];
  if (DELETES.test(`${name} ${verb} ${name === "pvesh" ? normalised(second) : second}`)) return true;
  if (!/^(qm|pct|pvesh)$/.test(name)) return false;
  return DISK.test(String(option(words, "--delete", "-delete")));
}

const deletion = (command: Command): Problem => ({
  at: `${command.at} › ${typed(command)}`,
  message: "deletes a VM or a disk, with what is on it",
  fix: "Delete it by hand when that is meant, or name the resource in the gate's setting `except`.",
});
