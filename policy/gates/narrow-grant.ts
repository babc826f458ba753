import type { Gate, Problem } from "../pack/gate.ts";
import type { Resource, Stack, Value } from "../pack/resource.ts";
import { parseJson } from "../reading/data/json.ts";
import { isList, members, scalar, type Tree } from "../reading/data/payload.ts";
import { formatOf } from "../reading/format.ts";
import { everybodyIn, isEverybody, isOtherPort, rulesOf, words } from "../values/grant.ts";

interface Settings {
  readonly services: readonly string[];
  readonly ports: readonly string[];
  readonly tags: readonly string[];
}

const ENTRY = "pulumi-nodejs:dynamic/hermes:TailnetPolicyEntry";
const TAILNET_SERVICE = "hermes:index:TailnetService";

/**
 * Not everybody reaches the service, and whoever does reaches it at its own ports. Of a grant to everything (`*`) or to
 * the guest's tags only the sources are judged: people administer machines through such grants, at whatever port.
 */
export const narrowGrant: Gate<Settings> = {
  id: "narrow-grant",
  title: "Grant no wider than the service",
  level: "mandatory",
  reason:
    "Nothing but the grant stands between the dashboard, which has a terminal in it, and whoever it is granted to. Where a grant reaches everything or the guest's tag, only who it is for is judged.",
  remediation:
    'Grant the members of the tailnet the one port: {"src": ["autogroup:member"], "dst": ["svc:hermes"], "ip": ["443"]}.',
  config: {
    defaults: { services: ["svc:hermes"], ports: ["tcp:443"], tags: ["tag:server"] },
    properties: {
      services: {
        type: "array",
        items: { type: "string" },
        description: "Services that lead to Hermes, besides those of a TailnetService.",
      },
      ports: { type: "array", items: { type: "string" }, description: "Ports that may be granted." },
      tags: {
        type: "array",
        items: { type: "string" },
        description:
          "Tags that the guest has: what everybody reaches of them, everybody reaches of the guest.",
      },
    },
  },
  check: (resource, settings, stack) => {
    const { type, props } = resource;
    const known = servicesOf(settings, stack);
    if (type === TAILNET_SERVICE) {
      // A policy file that came before may name it.
      const before = stack.of("tailscale:index/acl:Acl");
      return [
        ...grantTo(words(props["grantTo"]), settings, "grantTo"),
        ...servedPorts(words(props["ports"]), settings, "ports"),
        ...words(props["service"]).flatMap((name) =>
          before.flatMap((acl) => ofTexts(acl, [lower(name)], settings)),
        ),
      ];
    }
    if (type === "tailscale:index/service:Service")
      return words(props["name"]).some((name) => known.includes(lower(name)))
        ? servedPorts(words(props["ports"]), settings, "ports")
        : [];
    return [...(type === ENTRY ? ofEntry(props, settings) : []), ...ofTexts(resource, known, settings)];
  },
};

// Stryker disable next-line MethodExpression: both sides of a comparison are folded alike
const lower = (name: string): string => name.toLowerCase();
const servicesOf = ({ services }: Settings, stack: Stack): string[] =>
  [...services, ...stack.of(TAILNET_SERVICE).flatMap(({ props }) => words(props["service"]))].map(lower);

/** An entry is for the service: whatever in it names sources, destinations or ports is of the grant. */
function ofEntry(value: Value, settings: Settings, path: readonly string[] = []): Problem[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Readonly<Record<string, Value>>).flatMap(([key, inner]) => {
    const at = [...path, key].join(".");
    const check = ENTRY_KEYS.get(key);
    return [...(check?.(words(inner), settings, at) ?? []), ...ofEntry(inner, settings, [...path, key])];
  });
}

/** Policy files in whatever text: of a resource for them, or on their way to somewhere else. */
function ofTexts({ content }: Resource, services: readonly string[], settings: Settings): Problem[] {
  return content.texts
    .filter((text) => formatOf(text) === "json")
    .flatMap(({ text, at }) => ofPolicy(parseJson(text), at, services, settings));
}

function ofPolicy(tree: Tree, place: string, services: readonly string[], settings: Settings): Problem[] {
  const aliases = aliasesIn(tree);
  // A set that grows while it is gone through is gone through to its end.
  const resolved = (names: readonly string[]): string[] => {
    const all = new Set(names);
    // Stryker disable next-line ArrayDeclaration: nothing is called like the word that it puts in
    for (const name of all) for (const inner of aliases.get(name) ?? []) all.add(inner);
    return [...all];
  };
  const isService = (name: string): boolean => name === "svc:*" || services.includes(lower(name));
  return rulesOf(tree, place).flatMap(({ src, targets, at, portsAt }) => {
    const named = targets.filter(({ name }) => resolved([name]).some(isService));
    const reached = resolved(targets.map(({ name }) => name));
    return named.length > 0 || reached.some((name) => isEverybody(name) || settings.tags.includes(name))
      ? [
          ...sources(resolved(src), `${at}.src`),
          ...named.flatMap((target) => ports(target.ports, settings, portsAt)),
        ]
      : [];
  });
}

/** What the names of hosts and of sets of addresses stand for (tailscale.com/kb/1337, "hosts" and "ipsets"). */
function aliasesIn(tree: Tree): Map<string, string[]> {
  const named = members(tree)
    .filter(([section]) => /^(hosts|ipsets)$/iu.test(section))
    .flatMap(([, inner]) => members(inner));
  return new Map(
    named.flatMap(([name, value]) => {
      const values: readonly Tree[] = isList(value) ? value : [value];
      const list = values.map((one) => String(scalar(one)).replace("add ", ""));
      return [name, `host:${name}`].map((alias) => [alias, list] as const);
    }),
  );
}

type Check = (found: readonly string[], settings: Settings, at: string) => Problem[];

function sources(found: readonly string[], at: string): Problem[] {
  return everybodyIn(found).map((value) => ({ at, value, message: "is everybody" }));
}

const ports: Check = (found, settings, at) =>
  found
    .filter((port) => isOtherPort(port, settings.ports))
    .map((value) => ({
      at,
      value,
      message: `is more than the service's ports (${settings.ports.join(", ")})`,
    }));

/** The args of a TailnetService and of the provider's service. */
const grantTo: Check = (found, _settings, at) =>
  sources(found, at).map((problem) => ({
    ...problem,
    fix: 'Grant it to the members of the tailnet: `grantTo: ["autogroup:member"]`.',
  }));

const servedPorts: Check = (found, settings, at) =>
  ports(found, settings, at).map((problem) => ({
    ...problem,
    fix: `Serve only what may be granted: \`ports: ${JSON.stringify(settings.ports)}\`.`,
  }));

const destinations: Check = (found, _settings, at) =>
  found
    .filter((name) => !/^svc:[^*]/i.test(name))
    .map((value) => ({ at, value, message: "is more than the service" }));

const ENTRY_KEYS: ReadonlyMap<string, Check> = new Map([
  ["src", (found, _settings, at) => sources(found, at)],
  ["grantTo", grantTo],
  ["dst", destinations],
  ["ip", ports],
  ["ports", servedPorts],
]);
