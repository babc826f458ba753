import type { Gate, Problem } from "../pack/gate.ts";
import { isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Value, Values } from "../pack/resource.ts";
import { program, typed } from "../reading/argv.ts";
import type { Command, Setting } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isValues } from "../reading/sources.ts";
import {
  isEverywhere,
  isFirewall,
  letsEverybodyIn,
  turnsFirewallOff,
  turnsFirewallOn,
} from "../values/firewall.ts";

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
    ...ofCommands(resource.content.commands),
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
    // Of the datacenter and of a node only what is said counts: they are there before.
    case "proxmoxve:cluster/firewallLegacy:FirewallLegacy":
    case "proxmoxve:node/firewall:Firewall":
    case "proxmoxve:node/firewallLegacy:FirewallLegacy":
      return ofOptions({ enabled: true, ...props });
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
      : [{ at: "enabled", value: enabled, message: "leaves the firewall off", fix: "Set it to true." }];
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

/** A rule that lets packets in from everywhere to every port. A protocol with ports is no condition, nor is a device. */
function letsAllIn({ type, action, enabled, ...rest }: Values): boolean {
  const narrows = (key: string, isAll: (value: string) => boolean): boolean =>
    Boolean(rest[key]) && !(typeof rest[key] === "string" && isAll(rest[key]));
  return (
    type === "in" &&
    action === "ACCEPT" &&
    enabled !== false &&
    !["source", "dest"].some((key) => narrows(key, isEverywhere)) &&
    !["dport", "sport"].some((key) => narrows(key, isMostPorts)) &&
    !narrows("proto", (proto) => /^(tcp|udp)$/i.test(proto)) &&
    !rest["macro"]
  );
}

/** A range that more than half of all ports are in. */
const isMostPorts = (ports: string): boolean =>
  ports.split(",").some((range) => {
    const [from, to] = range.split(":").map(Number);
    return Number(to) - Number(from) >= 2 ** 15;
  });

function ofSetting({ at, path, value }: Setting): Problem[] {
  switch (path.at(-1)) {
    case "enable":
      return value === false && isFirewallOfNixos(path)
        ? [{ at, value, message: "turns the guest's firewall off" }]
        : [];
    // ufw(8), /etc/default/ufw
    case "DEFAULT_INPUT_POLICY":
      return value === "ACCEPT" ? [{ at, value, message: "lets in what no rule names" }] : [];
    default:
      return [];
  }
}

/** NixOS: the firewall itself, or the unit of one. */
function isFirewallOfNixos(path: readonly string[]): boolean {
  const [above, section, unit] = path.slice(-4);
  return (
    path.slice(-3, -1).join(".") === "networking.firewall" ||
    (`${above}.${section}` === "systemd.services" && isFirewall(String(unit)))
  );
}

/** A firewall that the same property turns on again later, or another one instead, was off for that long only. */
function ofCommands(commands: readonly Command[]): Problem[] {
  const onLater = new Set<string | undefined>();
  return commands
    .toReversed()
    .flatMap((command) => {
      const name = program(command);
      // Stryker disable next-line StringLiteral: whatever stands for an unknown word is neither an option nor a name
      const line = command.words.map((part) => (part === UNKNOWN ? "…" : part));
      const { at } = command;
      // Stryker disable next-line StringLiteral: no two properties of a resource that hold commands begin alike
      const [property] = at.split(" › ");
      if (turnsFirewallOn(name, line)) onLater.add(property);
      const found = { at, value: typed(command) };
      if (letsEverybodyIn(name, line)) return [{ ...found, message: "lets everybody in" }];
      return turnsFirewallOff(name, line) && !onLater.has(property)
        ? [{ ...found, message: "turns a firewall off" }]
        : [];
    })
    .toReversed();
}

/** The composite members of a list or a map. */
function entries(value: Value): [key: string, member: Values][] {
  return typeof value === "object" && value !== null
    ? Object.entries(value as Readonly<Record<string, Value>>).flatMap(([key, member]) =>
        isValues(member) ? [[key, member]] : [],
      )
    : [];
}
