import { shortMount, tmpfs } from "../containers/compose.ts";
import { type FileSystem, type Known, type Launch, type Mount, UNKNOWN } from "../content.ts";
import { UNKNOWN_NIX_VALUE } from "./render.ts";
import type { NixSetting } from "./walk.ts";

type Entry = readonly [keys: readonly string[], setting: NixSetting];

/** The settings below `prefix.NAME`, name by name, wherever in a path the prefix stands. */
function named(settings: readonly NixSetting[], prefix: readonly string[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const setting of settings) {
    const { path } = setting;
    for (let start = 0; start + prefix.length < path.length; start += 1) {
      if (!prefix.every((key, index) => path[start + index] === key)) continue;
      const end = start + prefix.length + 1;
      const name = path.slice(0, end).join(".");
      const entries = found.get(name) ?? [];
      entries.push([path.slice(end), setting]);
      found.set(name, entries);
      break;
    }
  }
  return found;
}

const all = (entries: readonly Entry[], key: string): NixSetting[] =>
  entries.filter(([keys]) => keys[0] === key).map(([, setting]) => setting);
const scalar = ({ value }: NixSetting): Known<string> =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : UNKNOWN;
/** What is known of a text, also if a part of it is not. */
const partly = (setting: NixSetting): Known<string> => setting.shown ?? scalar(setting);
const known = (text: Known<string>): Known<string> =>
  typeof text === "string" && text.includes(UNKNOWN_NIX_VALUE) ? UNKNOWN : text;
const isNothing = ({ value }: NixSetting): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);
const values = (entries: readonly Entry[], key: string): NixSetting[] =>
  all(entries, key).filter((each) => !isNothing(each));

/** `virtualisation.oci-containers.containers.NAME`. Where the file has several images for one, a launch for each. */
export function nixLaunches(settings: readonly NixSetting[], place: string): Launch[] {
  const containers = named(settings, ["virtualisation", "oci-containers", "containers"]);
  return [...containers].flatMap(([name, entries]) => {
    const at = `${place} › ${name}`;
    const extra = podmanOptions(values(entries, "extraOptions").map(partly), at);
    const networks = values(entries, "networks").map(scalar);
    const network = extra.network ?? (networks.includes(UNKNOWN) ? UNKNOWN : networks.map(String).join(","));
    const variables = entries.flatMap(([keys, setting]): [string, Known<string>][] =>
      keys[0] === "environment" && keys[1] !== undefined ? [[keys[1], scalar(setting)]] : [],
    );
    const launch: Launch = {
      at,
      verb: "run",
      ...(network === "" ? {} : { network }),
      environment: { ...Object.fromEntries(variables), ...extra.environment },
      mounts: [...values(entries, "volumes").map((each) => mount(partly(each), each.at)), ...extra.mounts],
      ports: [...values(entries, "ports").map(scalar), ...extra.ports],
      privileges: [
        ...(all(entries, "privileged").some(({ value }) => value === true) ? ["--privileged"] : []),
        ...entries.flatMap(([keys, { value }]) =>
          keys[0] === "capabilities" && keys[1] !== undefined && value !== false
            ? [`--cap-add=${keys[1]}`]
            : [],
        ),
        ...values(entries, "devices").map(
          (each) => `--device=${String(scalar(each) === UNKNOWN ? "unknown" : each.value)}`,
        ),
        ...extra.privileges,
      ],
      command: values(entries, "cmd").map(scalar),
    };
    const images = [...new Set(values(entries, "image").map(scalar))];
    return images.length === 0 ? [launch] : images.map((image) => ({ ...launch, image }));
  });
}

function mount(text: Known<string>, at: string): Mount {
  const { source, target, ...rest } = shortMount(text, at);
  const place = known(target);
  const from = source === undefined ? undefined : known(source);
  const kind =
    rest.kind === "volume" && from === UNKNOWN
      ? UNKNOWN
      : place === UNKNOWN && from === undefined
        ? UNKNOWN
        : rest.kind;
  return { ...rest, kind, target: place, ...(from === undefined ? {} : { source: from }) };
}

type Options = Pick<Launch, "environment" | "mounts" | "ports" | "privileges"> & { network?: Known<string> };
const SHORT: Readonly<Record<string, string>> = { p: "publish", v: "volume", e: "env", P: "publish-all" };
const PRIVILEGE = /^(privileged|cap-add|device|pid|ipc|uts|userns|cgroupns|security-opt)$/;
const FLAG =
  /^(privileged|publish-all|read-only|rm|init|tty|interactive|replace|no-healthcheck|no-hosts|detach)$/;

/** The options of podman-run(1) that a container's walls, mounts and ports depend on. */
function podmanOptions(given: readonly Known<string>[], at: string): Options {
  const environment: Record<string, Known<string>> = {};
  const found = { mounts: [] as Mount[], ports: [] as Known<string>[], privileges: [] as string[] };
  let network: Known<string> | undefined;
  for (let index = 0; index < given.length; index += 1) {
    const word = given[index];
    if (typeof word !== "string" || !word.startsWith("-")) continue;
    const short = /^-([pveP])(=?)([\s\S]*)$/.exec(word);
    const equals = word.indexOf("=");
    const name = short ? (SHORT[short[1] ?? ""] ?? "") : word.slice(2, equals < 0 ? undefined : equals);
    let value: Known<string> | undefined = short
      ? short[3] || undefined
      : equals < 0
        ? undefined
        : word.slice(equals + 1);
    if (value === undefined && !FLAG.test(name)) {
      value = given[index + 1] ?? UNKNOWN;
      index += 1;
    }
    const shown = value === UNKNOWN ? "unknown" : value;
    if (name === "network" || name === "net") network = known(value ?? UNKNOWN);
    else if (name === "publish") found.ports.push(known(value ?? UNKNOWN));
    else if (name === "publish-all" && value !== "false") found.ports.push("all");
    else if (name === "volume") found.mounts.push(mount(value ?? UNKNOWN, at));
    else if (name === "tmpfs") found.mounts.push(tmpfs(known(value ?? UNKNOWN), at));
    else if (name === "mount") found.mounts.push(longMount(value ?? UNKNOWN, at));
    else if (name === "env" && typeof value === "string") {
      const [key = "", ...rest] = value.split("=");
      environment[key] = rest.length === 0 ? UNKNOWN : known(rest.join("="));
    } else if (PRIVILEGE.test(name) && value !== "false")
      found.privileges.push(name === "privileged" ? "--privileged" : `--${name}=${shown ?? ""}`);
  }
  return { ...found, environment, ...(network === undefined ? {} : { network }) };
}

function longMount(text: Known<string>, at: string): Mount {
  if (text === UNKNOWN) return mount(UNKNOWN, at);
  const options = text.split(",");
  const value = (...names: string[]): string | undefined =>
    options.find((option) => names.includes(option.split("=")[0] ?? ""))?.replace(/^[^=]*=?/, "");
  const [type = "volume", source, target] = [
    value("type"),
    value("source", "src"),
    value("destination", "dst", "target"),
  ];
  const readOnly = value("ro", "readonly");
  const plain = type === "bind" || type === "tmpfs" || type === "image" ? type : "other";
  return {
    at,
    kind: type === "volume" ? (source === undefined ? "anonymous" : "volume") : plain,
    ...(source === undefined ? {} : { source: known(source) }),
    target: known(target ?? UNKNOWN),
    readOnly: readOnly !== undefined && readOnly !== "false",
    options: options.filter((option) => !/^(type|source|src|destination|dst|target)=/.test(option)),
  };
}

/** `fileSystems."/x"`, and the shares and volumes of a microvm. */
export function nixFileSystems(settings: readonly NixSetting[], place: string): FileSystem[] {
  const one = (entries: readonly Entry[], key: string): Known<string> | undefined => {
    const [first] = values(entries, key);
    return first && scalar(first);
  };
  const found = (
    prefix: string[],
    read: (entries: Entry[], name: string) => Omit<FileSystem, "at">,
  ): FileSystem[] =>
    [...named(settings, prefix)].map(([name, entries]) => ({
      ...read(entries, lastName(name, entries)),
      at: `${place} › ${name}`,
    }));
  const described = (
    type: Known<string> | undefined,
    device: Known<string> | undefined,
  ): Pick<FileSystem, "type" | "device"> => ({
    ...(type === undefined ? {} : { type }),
    ...(device === undefined ? {} : { device }),
  });
  return [
    ...found(["fileSystems"], (entries, name) => ({
      mountPoint: one(entries, "mountPoint") ?? name,
      ...described(one(entries, "fsType"), one(entries, "device")),
    })),
    ...found(["microvm", "shares"], (entries) => ({
      mountPoint: one(entries, "mountPoint") ?? UNKNOWN,
      // microvm.nix's default.
      ...described(one(entries, "proto") ?? "9p", one(entries, "source")),
    })),
    ...found(["microvm", "volumes"], (entries) => ({
      mountPoint: one(entries, "mountPoint") ?? UNKNOWN,
      ...described("image", one(entries, "image")),
    })),
  ];
}

/** The name itself may have dots in it: `fileSystems."/srv/a.b"`. */
function lastName(name: string, entries: readonly Entry[]): string {
  const [first] = entries;
  if (first === undefined) return name;
  const [keys, { path }] = first;
  return path[path.length - keys.length - 1] ?? name;
}
