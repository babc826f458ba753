import type { Gate, Problem } from "../pack/gate.ts";
import { isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Value, Values } from "../pack/resource.ts";
import { program, typed } from "../reading/argv.ts";
import type { Command, Setting } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isValues } from "../reading/sources.ts";
import { turnsFirewallOff } from "../values/firewall.ts";

/**
 * Nothing turns a firewall of the guest off: its own, or Proxmox's at the network device and in the VM's options. That
 * there are options which turn Proxmox's on, `firewall-options` advises.
 */
export const guestFirewall: Gate = {
  id: "guest-firewall",
  title: "Guest firewall not turned off",
  level: "mandatory",
  reason:
    "What listens in the guest by mistake, or because the agent started it, must not be reached by its neighbours.",
  remediation: "Leave the firewall on, and open the one port that you need.",
  check: (resource) => [
    ...(isVirtualMachine(resource) ? ofDevices(resource) : []),
    ...ofFirewall(resource),
    ...resource.content.commands.flatMap(ofCommand),
    ...resource.content.settings.flatMap(ofSetting),
  ],
};

/** `networkDevices` of a VM, `networkInterfaces` of a Linux container, and the map `network` of a clone. */
function ofDevices({ props }: Resource): Problem[] {
  return ["networkDevices", "networkInterfaces", "network"].flatMap((list) =>
    entries(props[list]).flatMap(([key, { firewall }]) => {
      if (firewall === true || firewall === UNKNOWN) return [];
      const at = `${list}.${key}.firewall`;
      const fix = "Set it to true.";
      return [
        firewall === undefined
          ? { at, message: "is not set, and is off by default", fix }
          : { at, value: firewall, message: "leaves the device unfiltered", fix },
      ];
    }),
  );
}

function ofFirewall({ type, props }: Resource): Problem[] {
  switch (type) {
    case "proxmoxve:firewall/optionsLegacy:OptionsLegacy":
      return ofOptions(props);
    case "proxmoxve:firewall/rulesLegacy:RulesLegacy":
    case "proxmoxve:cluster/firewall/security/groupLegacy:GroupLegacy":
      return entries(props["rules"])
        .filter(([, rule]) => letsAllIn(rule))
        .map(([key]) => ({ at: `rules.${key}`, message: "lets everybody in at every port" }));
    default:
      return [];
  }
}

function ofOptions({ enabled, inputPolicy }: Values): Problem[] {
  const off =
    enabled === true || enabled === UNKNOWN
      ? []
      : [{ at: "enabled", value: enabled, message: "leaves the VM's firewall off", fix: "Set it to true." }];
  const open =
    typeof inputPolicy === "string" && !/^(DROP|REJECT)$/i.test(inputPolicy)
      ? [
          {
            at: "inputPolicy",
            value: inputPolicy,
            message: "lets in what no rule names",
            fix: "Set it to DROP.",
          },
        ]
      : [];
  return [...off, ...open];
}

/** A rule for incoming packets without any condition. */
function letsAllIn({ type, action, enabled, ...rest }: Values): boolean {
  const conditions = ["source", "dport", "sport", "dest", "proto", "macro", "iface"];
  return (
    type === "in" && action === "ACCEPT" && enabled !== false && !conditions.some((key) => Boolean(rest[key]))
  );
}

function ofSetting({ at, path, value }: Setting): Problem[] {
  switch (path.at(-1)) {
    case "enable":
      return value === false && path.slice(-3).join(".") === "networking.firewall.enable"
        ? [{ at, value, message: "turns the guest's firewall off" }]
        : [];
    // ufw(8), /etc/default/ufw
    case "DEFAULT_INPUT_POLICY":
      return value === "ACCEPT" ? [{ at, value, message: "lets in what no rule names" }] : [];
    default:
      return [];
  }
}

function ofCommand(command: Command): Problem[] {
  // Stryker disable next-line StringLiteral: whatever stands for an unknown word is neither an option nor a name
  const line = command.words.slice(1).map((part) => (part === UNKNOWN ? "…" : part));
  return turnsFirewallOff(program(command), line)
    ? [{ at: command.at, value: typed(command), message: "turns a firewall off" }]
    : [];
}

/** The composite members of a list or a map. */
function entries(value: Value): [key: string, member: Values][] {
  return typeof value === "object" && value !== null
    ? Object.entries(value as Readonly<Record<string, Value>>).flatMap(([key, member]) =>
        isValues(member) ? [[key, member]] : [],
      )
    : [];
}
