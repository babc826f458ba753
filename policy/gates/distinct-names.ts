import type { Gate, Problem } from "../pack/gate.ts";
import { isVirtualMachine } from "../pack/guests.ts";
import type { Resource, Stack } from "../pack/resource.ts";
import { option, program } from "../reading/argv.ts";
import type { Command, Setting } from "../reading/content.ts";
import { plainName, serviceName } from "../values/tailnet-name.ts";

interface Settings {
  readonly services: readonly string[];
}
interface Name {
  readonly at: string;
  readonly name: unknown;
}

/** Linux: IFNAMSIZ is 16, with the end of the string (microvm.nix asserts the same). */
const LONGEST_INTERFACE = 15;

/** The guest is not called like the service, and its tap has a name that Linux takes. */
export const distinctNames: Gate<Settings> = {
  id: "distinct-names",
  title: "Names",
  level: "mandatory",
  reason:
    "Machines and services share the tailnet's names: a machine that is called like a service gets a suffix that it never loses again. A network interface has at most 15 characters.",
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
  const services = [...settings.services, ...stack.all.map(serviceOf)].map(serviceName);
  return names
    .filter(({ name }) => services.includes(plainName(name)))
    .map(({ at, name }) => ({ at, value: name, message: "is the name of a service of the tailnet, too" }));
}

/** A service that comes after its guest meets the name that is there. */
function ofService(resource: Resource, stack: Stack): Problem[] {
  const service = serviceOf(resource);
  // Stryker disable next-line ConditionalExpression: no machine has an undefined name, it only takes longer
  if (service === undefined) return [];
  return stack.all.flatMap((machine) =>
    machineNames(machine)
      .filter(({ name }) => plainName(name) === serviceName(service))
      .map(({ at }) => ({
        at: "the service's name",
        value: service,
        message: `is what a machine is called, too (${machine.name}: ${at})`,
      })),
  );
}

function serviceOf({ type, props }: Resource): unknown {
  if (type === "hermes:index:TailnetService") return props["service"];
  return type === "tailscale:index/service:Service" ? props["name"] : undefined;
}

type Names = readonly (Name & { readonly name: string })[];
/** Each service asks for the names of all machines. */
const found = new WeakMap<Resource, Names>();

function machineNames(resource: Resource): Names {
  const names = found.get(resource) ?? namesIn(resource);
  // Stryker disable next-line all: without it the same is found once more
  found.set(resource, names);
  return names;
}

/** Names that a machine goes by in the tailnet: its hostname, or the one that it joins with. */
function namesIn(resource: Resource): Names {
  const { type, props, content } = resource;
  const names: Name[] = [
    { at: "hostname", name: type === "hermes:index:HermesGuest" ? props["hostname"] : undefined },
    { at: "name", name: isVirtualMachine(resource) ? props["name"] : undefined },
    ...content.settings.map((setting) => ({ at: setting.at, name: settingName(setting) })),
    ...content.texts
      .filter(({ path }) => path === "/etc/hostname")
      .map(({ at, text }) => ({ at, name: text })),
    ...content.launches.map(({ at, environment: { TS_HOSTNAME: name } }) => ({
      at: `${at} › TS_HOSTNAME`,
      name,
    })),
    ...content.commands.map((command) => ({
      at: `${command.at} › ${program(command)}`,
      name: commandName(command),
    })),
  ];
  return names.flatMap(({ at, name }) => (typeof name === "string" ? [{ at, name }] : []));
}

/** Top keys of cloud-init's user data and meta data. */
const HOST: ReadonlySet<string | undefined> = new Set(["hostname", "fqdn", "local-hostname"]);
/** Options of NixOS, under services.tailscale. */
const FLAGS: ReadonlySet<string | undefined> = new Set(["extraUpFlags", "extraSetFlags"]);

function settingName({ at, path, value }: Setting): unknown {
  const key = path.at(-1);
  // A property of that name is of something else, but for what a Linux container is given of cloud-init.
  if (HOST.has(key))
    return at === "initialization.hostname" || (path.length === 1 && at !== key) ? value : undefined;
  if (key === "hostName") return path.at(-2) === "networking" ? value : undefined;
  return FLAGS.has(path.at(-2)) ? String(value).split("--hostname=")[1] : undefined;
}

/** Verbs of hostnamectl(1). */
const SETS: ReadonlySet<unknown> = new Set(["set-hostname", "hostname"]);

function commandName(command: Command): unknown {
  const [, verb, argument] = command.words;
  const name = program(command);
  if (name === "tailscale") return option(command.words, "--hostname", "-hostname");
  if (name === "hostnamectl") return SETS.has(verb) ? argument : undefined;
  return name === "hostname" ? verb : undefined;
}

function ofInterfaces({ type, props, content }: Resource): Problem[] {
  const taps: Name[] = [
    { at: "tap", name: type === "hermes:index:HermesGuest" ? props["tap"] : undefined },
    ...content.settings
      .filter(({ path }) => path.at(-1) === "id" && path.at(-3) === "interfaces" && path.at(-4) === "microvm")
      .map(({ at, value }) => ({ at, name: value })),
  ];
  return taps.flatMap(({ at, name }) => {
    const bytes = typeof name === "string" ? Buffer.byteLength(name) : 0;
    if (bytes <= LONGEST_INTERFACE) return [];
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
