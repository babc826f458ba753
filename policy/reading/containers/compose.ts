import {
  type Command,
  type Content,
  type Known,
  type Launch,
  type Mount,
  type MountKind,
  type Text,
  UNKNOWN,
} from "../content.ts";
import { get, isList, isMembers, items, members, scalar, type Tree } from "../data/payload.ts";

/** Longer ones are no commands, but would exhaust the stack of a regular expression. */
const LONGEST_COMMAND = 65_536;

/** What a compose file starts (https://github.com/compose-spec/compose-spec/blob/main/spec.md). */
export function composeContent(tree: Tree, at: string): Partial<Content> {
  const launches: Launch[] = [];
  const commands: Command[] = [];
  for (const [name, service] of members(get(tree, "services"))) {
    const started = [
      "image",
      "build",
      "command",
      "entrypoint",
      "volumes",
      "ports",
      "network_mode",
      "privileged",
    ];
    if (!started.some((key) => get(service, key) !== undefined)) continue;
    const place = `${at} › services.${name}`;
    const launch = composeLaunch(service, tree, place);
    launches.push(launch);
    const probe = argv(get(get(service, "healthcheck"), "test"));
    if (probe.length > 1)
      commands.push({ at: `${place}.healthcheck`, words: probe.slice(1), environment: {} });
  }
  const built = members(get(tree, "services")).flatMap(([name, service]): Text[] => {
    const text = get(get(service, "build"), "dockerfile_inline");
    return typeof text === "string"
      ? [{ at: `${at} › services.${name}.build`, text, format: "containerfile" }]
      : [];
  });
  const texts: Text[] = members(get(tree, "configs")).flatMap(([name, config]) => {
    const text = get(config, "content");
    return typeof text === "string" ? [{ at: `${at} › configs.${name}`, text }] : [];
  });
  return { launches, commands, texts: [...built, ...texts] };
}

function composeLaunch(service: Tree, file: Tree, at: string): Launch {
  const image = filled(scalar(get(service, "image")));
  const network = filled(scalar(get(service, "network_mode"))) ?? networks(service, file);
  const option = (key: string, name = key): string[] =>
    each(get(service, key)).map((value) => `--${name}=${shown(value)}`);
  return {
    at,
    verb: "run",
    ...(image === undefined ? {} : { image }),
    ...(network === undefined ? {} : { network }),
    environment: environment(get(service, "environment")),
    mounts: [
      ...items(get(service, "volumes")).map((volume, index) =>
        composeMount(volume, file, `${at}.volumes[${index}]`),
      ),
      ...each(get(service, "tmpfs")).map((value) => tmpfs(value, `${at}.tmpfs`)),
    ],
    ports: items(get(service, "ports")).map(composePort),
    privileges: [
      ...(isTrue(get(service, "privileged")) ? ["--privileged"] : []),
      ...["pid", "ipc", "uts"].flatMap((key) => option(key)),
      ...[
        ...option("userns_mode", "userns"),
        ...option("cgroup", "cgroupns"),
        ...option("cap_add", "cap-add"),
      ],
      ...[...option("devices", "device"), ...option("security_opt", "security-opt")],
    ],
    command: [...argv(get(service, "entrypoint")), ...argv(get(service, "command"))],
  };
}

/** Networks have names of their own in the file; an external one may be the host's. */
function networks(service: Tree, file: Tree): Known<string> | undefined {
  const listed = get(service, "networks");
  const keys = isMembers(listed) ? listed.members.map(([key]) => key) : each(listed).map(shown);
  if (keys.length === 0) return undefined;
  const real = keys.map((key) => filled(scalar(get(get(get(file, "networks"), key), "name"))) ?? key);
  return real.includes(UNKNOWN) ? UNKNOWN : real.map(String).join(",");
}

function environment(tree: Tree | undefined): Record<string, Known<string>> {
  const pairs: [string, Known<string>][] = isMembers(tree)
    ? tree.members.map(([key, value]) => [key, filled(scalar(value)) ?? UNKNOWN])
    : each(tree).flatMap((entry) => {
        if (entry === UNKNOWN) return [];
        const equals = entry.indexOf("=");
        // A name alone takes its value from whoever starts the container.
        return [
          equals < 0 ? [entry, UNKNOWN] : [entry.slice(0, equals), filled(entry.slice(equals + 1)) ?? ""],
        ];
      });
  return Object.fromEntries(pairs);
}

function composeMount(volume: Tree, file: Tree, at: string): Mount {
  if (isMembers(volume)) {
    const source = filled(scalar(get(volume, "source")));
    const type = scalar(get(volume, "type")) ?? "volume";
    const readOnly = get(volume, "read_only");
    return {
      at,
      kind: typeof type !== "string" ? UNKNOWN : longKind(type, source),
      ...(source === undefined ? {} : { source }),
      target: filled(scalar(get(volume, "target"))) ?? UNKNOWN,
      readOnly: readOnly === UNKNOWN ? UNKNOWN : isTrue(readOnly),
      options: source === undefined ? [] : driverOptions(file, source),
    };
  }
  const mount = shortMount(filled(scalar(volume)) ?? UNKNOWN, at);
  if (mount.kind !== "volume" || mount.source === undefined) return mount;
  return { ...mount, options: [...mount.options, ...driverOptions(file, mount.source)] };
}

function longKind(type: string, source: Known<string> | undefined): MountKind {
  if (type === "volume") return source === undefined ? "anonymous" : "volume";
  return type === "bind" || type === "tmpfs" || type === "image" ? type : "other";
}

/** What a named volume is made of, when the file says so: `type=nfs`, `o=addr=…`, `device=:/export`. */
function driverOptions(file: Tree, source: Known<string>): string[] {
  if (source === UNKNOWN) return [];
  const volume = get(get(file, "volumes"), source);
  const options = members(get(volume, "driver_opts")).map(([key, value]) => `${key}=${shown(scalar(value))}`);
  const driver = scalar(get(volume, "driver"));
  return driver === undefined || driver === "local" ? options : [...options, `driver=${shown(driver)}`];
}

/** `[SOURCE:]TARGET[:OPTIONS]`, as compose files and the container tools have it. */
export function shortMount(text: Known<string>, at: string): Mount {
  if (text === UNKNOWN) return { at, kind: UNKNOWN, target: UNKNOWN, readOnly: UNKNOWN, options: [] };
  const [first = "", second, ...rest] = text.split(":");
  if (second === undefined) return { at, kind: "anonymous", target: first, readOnly: false, options: [] };
  const options = rest.flatMap((piece) => piece.split(",")).filter((option) => option !== "");
  const kind = first === "" ? "anonymous" : /^[/.~]/.test(first) ? "bind" : "volume";
  return { at, kind, source: first, target: second, readOnly: options.includes("ro"), options };
}

/** `/run` or `/run:size=64m`. */
export function tmpfs(text: Known<string>, at: string): Mount {
  if (text === UNKNOWN) return { at, kind: "tmpfs", target: UNKNOWN, readOnly: UNKNOWN, options: [] };
  const [target = "", options = ""] = text.split(":");
  const list = options.split(",").filter((option) => option !== "");
  return { at, kind: "tmpfs", target, readOnly: list.includes("ro"), options: list };
}

function composePort(port: Tree): Known<string> {
  if (!isMembers(port)) return filled(scalar(port)) ?? UNKNOWN;
  const [ip, published, target, protocol] = ["host_ip", "published", "target", "protocol"].map((key) =>
    scalar(get(port, key)),
  );
  return publishedPort(ip, published, target, protocol);
}

type Part = Known<string> | undefined;
/** `[IP:]PUBLISHED:TARGET[/PROTOCOL]`. */
export function publishedPort(ip: Part, published: Part, target: Part, protocol: Part): Known<string> {
  if (ip === UNKNOWN || published === UNKNOWN || target === UNKNOWN || protocol === UNKNOWN) return UNKNOWN;
  const ports = [ip, published, target].filter((part) => part !== undefined).join(":");
  return protocol === undefined ? ports : `${ports}/${protocol}`;
}

/** `${NAME:-value}` is its value, as long as nobody sets the name; any other variable is unknown. `$$` is a dollar. */
function filled(text: Known<string> | undefined): Known<string> | undefined {
  if (typeof text !== "string" || !text.includes("$")) return text;
  const plain = text.replace(/\$\$|\$\{[A-Za-z_]\w*:?-([^${}]*)\}/g, (whole, value?: string) =>
    whole === "$$" ? "\0" : (value ?? ""),
  );
  return plain.includes("$") ? UNKNOWN : plain.replaceAll("\0", "$");
}

const listed = (tree: Tree | undefined): readonly Tree[] =>
  isList(tree) ? tree : tree === undefined || tree === null ? [] : [tree];
/** A list of scalars, or one scalar in the place of a list. */
export const each = (tree: Tree | undefined): Known<string>[] =>
  listed(tree).map((item) => scalar(item) ?? UNKNOWN);

export const shown = (value: Known<string> | undefined): string =>
  typeof value === "string" ? value : "unknown";
/** True in any spelling of YAML 1.1, which older tools read. */
export const isTrue = (tree: Tree | undefined): boolean => {
  const word = scalar(tree);
  return typeof word === "string" && /^(?:true|yes|on|y)$/i.test(word);
};

/** A command as a list, or as one text that the tool itself takes apart. */
function argv(tree: Tree | undefined): Known<string>[] {
  if (typeof tree !== "string") return each(tree).map((word) => filled(word) ?? UNKNOWN);
  const text = filled(tree);
  if (text === UNKNOWN || text === undefined || text.length > LONGEST_COMMAND) return [UNKNOWN];
  const found = text.match(/(?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\\[\s\S]|[^\s"'\\])+/g) ?? [];
  return found.map((word) =>
    word.replace(
      /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|\\([\s\S])/g,
      (_, double?: string, single?: string, one?: string) =>
        double !== undefined ? double.replace(/\\(["\\$`])/g, "$1") : (single ?? one ?? ""),
    ),
  );
}
