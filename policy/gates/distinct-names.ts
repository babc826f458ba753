import type { Gate, Problem } from "../pack/gate.ts";
import { isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Stack } from "../pack/resource.ts";
import { excessiveLength, LONGEST_INTERFACE, namesInterface } from "../values/interface-name.ts";
import { isCloudInit, nameInCommand, nameInSetting } from "../values/machine-name.ts";
import { plainName, serviceName } from "../values/tailnet-name.ts";

interface Settings {
  readonly services: readonly string[];
}
interface Name {
  readonly at: string;
  readonly name: unknown;
}

/** The guest is not called like the service, and its tap has a name that Linux takes. */
export const distinctNames: Gate<Settings> = {
  id: "distinct-names",
  title: "Names of guest, service and tap",
  level: "mandatory",
  reason:
    "A machine that is called like a service of the tailnet gets a suffix there and never loses it again; a tap with a longer name than Linux takes keeps its guest from starting.",
  remediation: "Give the guest a name of its own, like vm-hermes, and leave the plain one to the service.",
  config: {
    defaults: { services: ["svc:hermes"] },
    properties: {
      services: {
        type: "array",
        items: { type: "string" },
        description: "Services of the tailnet, besides those of the stack.",
      },
    },
  },
  check: (resource, settings, stack) => [
    ...ofMachine(resource, settings, stack),
    ...ofService(resource, stack),
    ...ofInterfaces(resource),
  ],
};

function ofMachine(resource: Resource, settings: Settings, stack: Stack): Problem[] {
  const names = machineNames(resource);
  // Stryker disable next-line ConditionalExpression: without a name there is no problem either, only more work
  if (names.length === 0) return [];
  const services = [...settings.services, ...servicesOf(stack)].map(serviceName);
  return names
    .filter(({ name }) => services.includes(plainName(name)))
    .map(({ at, name }) => ({ at, value: name, message: "is the name of a service of the tailnet, too" }));
}

/** A service that comes after its guest meets the name that is there. */
function ofService(resource: Resource, stack: Stack): Problem[] {
  const property = SERVICES.get(resource.type);
  // Stryker disable next-line ConditionalExpression: no machine has an undefined name, it only takes longer
  if (property === undefined) return [];
  const service = resource.props[property];
  return stack.all.flatMap((machine) =>
    machineNames(machine)
      .filter(({ name }) => plainName(name) === serviceName(service))
      .map(({ at }) => ({
        at: property,
        value: service,
        message: `is what a machine is called, too (${machine.name}: ${at})`,
      })),
  );
}

/** The property that holds a service's name. */
const SERVICES: ReadonlyMap<string, string> = new Map([
  ["hermes:index:TailnetService", "service"],
  ["tailscale:index/service:Service", "name"],
]);

const servicesOf = (stack: Stack): unknown[] =>
  [...SERVICES].flatMap(([type, property]) => stack.of(type).map(({ props }) => props[property]));

/** Names that a machine goes by in the tailnet. */
function machineNames(resource: Resource): (Name & { readonly name: string })[] {
  const { type, props, content } = resource;
  // A snippet is for cloud-init, whatever stands in it.
  const snippet = type === "proxmoxve:index/fileLegacy:FileLegacy";
  const places = new Set(content.texts.filter((text) => snippet || isCloudInit(text)).map(({ at }) => at));
  const names: Name[] = [
    { at: "hostname", name: type === "hermes:index:HermesGuest" ? props["hostname"] : undefined },
    { at: "name", name: isVirtualMachine(resource) ? props["name"] : undefined },
    ...content.settings.map((setting) => ({
      at: setting.at,
      name: nameInSetting(setting, (at) => places.has(at)),
    })),
    ...content.texts
      .filter(({ path }) => path === "/etc/hostname")
      .map(({ at, text }) => ({ at, name: text })),
    ...content.launches.map(({ at, environment: { TS_HOSTNAME: name } }) => ({
      at: `${at} › TS_HOSTNAME`,
      name,
    })),
    ...content.commands.map((command) => {
      const given = nameInCommand(command);
      return { at: `${command.at} › ${given?.by}`, name: given?.name };
    }),
  ];
  return names.flatMap(({ at, name }) => (typeof name === "string" ? [{ at, name }] : []));
}

function ofInterfaces({ type, props, content }: Resource): Problem[] {
  const taps: Name[] = [
    { at: "tap", name: type === "hermes:index:HermesGuest" ? props["tap"] : undefined },
    ...content.settings.filter(namesInterface).map(({ at, value }) => ({ at, name: value })),
  ];
  return taps.flatMap(({ at, name }) => {
    const bytes = excessiveLength(name);
    if (bytes === undefined) return [];
    return [
      {
        at,
        value: name,
        message: `has ${bytes} bytes, and an interface's name has at most ${LONGEST_INTERFACE}`,
        fix: "Shorten it.",
      },
    ];
  });
}
