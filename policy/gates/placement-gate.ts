import type { Gate, Problem } from "../pack/gate.ts";
import { guestOf, isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Stack, Value } from "../pack/resource.ts";
import { program, typed } from "../reading/argv.ts";
import { type Command, type Known, UNKNOWN } from "../reading/content.ts";
import { normalised } from "../reading/launches.ts";
import { isValues } from "../reading/sources.ts";
import { type Exceptions, exceptions } from "../values/exceptions.ts";
import { closedPlacement, PHASES } from "../values/placement.ts";

interface Settings extends Exceptions {
  readonly placement: object | null;
  readonly phases: readonly string[];
}

const description = "Names of VM resources, or of commands that make VMs, that do not hold Hermes.";
const common = exceptions(description);

/** A Proxmox VM is placed only on a cluster that somebody cleared for it, with evidence. */
export const placementGate: Gate<Settings> = {
  id: "placement-gate",
  title: "Placement gate",
  level: "mandatory",
  reason:
    "Hermes keeps memories and sessions that cannot be made again, so it goes only on a cluster that was cleared for that.",
  remediation:
    "When every phase has passed: set cleared, clearedOn, clearedBy, evidence and the phases under hermes:guest.placement.",
  config: {
    defaults: { placement: null, phases: PHASES, ...common.defaults },
    properties: {
      placement: {
        type: ["object", "null"],
        description:
          "Clearance of VMs that no HermesGuest stands for: cleared, clearedOn, clearedBy, evidence, phases. Default: the stack's hermes:guest.placement.",
      },
      phases: {
        type: "array",
        items: { type: "string" },
        description: "Commissioning phases of the cluster: each must be listed and passed.",
      },
      ...common.properties,
    },
  },
  check: (resource, settings, stack) => {
    if (resource.type === "hermes:index:HermesGuest") return ofGuest(resource, settings);
    if (settings.except.includes(resource.name)) return [];
    return isVirtualMachine(resource)
      ? ofMachine(resource, settings, stack)
      : resource.content.commands
          .filter(makesMachine)
          .flatMap((command) =>
            closed(clearance(settings, stack), settings, `${command.at} › ${typed(command)} › `),
          );
  },
};

function ofGuest({ props }: Resource, settings: Settings): Problem[] {
  // Any kind but a microvm is held to it: a misspelt one must not be a way past.
  return props["kind"] === "microvm" || props["kind"] === UNKNOWN ? [] : closed(props["placement"], settings);
}

function ofMachine(machine: Resource, settings: Settings, stack: Stack): Problem[] {
  const guest = guestOf(machine);
  // Its guest has been judged.
  if (guest !== undefined && guest.props["kind"] !== "microvm") return [];
  return closed(clearance(settings, stack), settings);
}

/** The clearance of what no HermesGuest stands for. */
function clearance({ placement }: Settings, stack: Stack): unknown {
  const config = stack.config("hermes:guest") as Value;
  const configured = isValues(config) ? config["placement"] : undefined;
  return placement ?? configured;
}

/** What only the running shell knows may be any of them. */
const MAKES: ReadonlySet<unknown> = new Set([UNKNOWN, "create", "clone", "restore", "importovf"]);

/** Commands of a node that make a VM or a Linux container: qm(1), qmrestore(1), pct(1), pvesh(1). */
function makesMachine(command: Command): boolean {
  const name = program(command);
  const [, verb, path] = command.words;
  if (name === "pvesh") return (verb === "create" || verb === UNKNOWN) && takesMachines(path);
  return name === "qmrestore" || ((name === "qm" || name === "pct") && MAKES.has(verb));
}

/** Whether a path of the API is one where a VM or a Linux container is made; pvesh does not insist on its slashes. */
const takesMachines = (path: Known<string> | undefined): boolean =>
  path === UNKNOWN ||
  (path !== undefined && /^\/nodes\/[^/]+\/(qemu|lxc)(\/\d+\/clone)?$/.test(normalised(path)));

function closed(placement: unknown, { phases }: Settings, before = ""): Problem[] {
  const reason = closedPlacement(placement, phases);
  return reason === undefined ? [] : [{ at: `${before}placement`, message: `is closed: ${reason}` }];
}
