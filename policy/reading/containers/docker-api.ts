import { type Content, type Known, UNKNOWN } from "../content.ts";
import { get, isMembers, items, members, scalar, type Tree } from "../data/payload.ts";
import { each } from "./compose.ts";
import { launchWith, type PlacedOption } from "./podman.ts";

/** Where lists of `HostConfig` have the form that an option of `docker run` takes. */
const OPTIONS: ReadonlyArray<readonly [key: string, option: string]> = [
  ["Binds", "volume"],
  ["NetworkMode", "network"],
  ["Privileged", "privileged"],
  ["PublishAllPorts", "publish-all"],
  ["CapAdd", "cap-add"],
  ["PidMode", "pid"],
  ["IpcMode", "ipc"],
  ["UsernsMode", "userns"],
  ["SecurityOpt", "security-opt"],
  ["VolumesFrom", "volumes-from"],
];

/** The body of Docker's `POST /containers/create`, which podman's service takes as well. */
export function dockerApiContent(tree: Tree, at: string): Pick<Content, "launches"> {
  const image = scalar(get(tree, "Image"));
  const host = get(tree, "HostConfig");
  if (image === undefined || !isMembers(host)) return { launches: [] };
  const options = OPTIONS.flatMap(([key, name]) => placed(key, name, each(get(host, key)), at));
  const mounts = items(get(host, "Mounts")).map(mountOption);
  const tmpfs = members(get(host, "Tmpfs")).map(([target]) => target);
  const ports = members(get(host, "PortBindings")).flatMap(([port, list]) =>
    items(list).map((binding) => {
      const [ip, published] = ["HostIp", "HostPort"].map((key) => scalar(get(binding, key)) ?? "");
      if (ip === UNKNOWN || published === UNKNOWN) return UNKNOWN;
      return [...(ip === "" ? [] : [ip]), String(published), port].join(":");
    }),
  );
  const all = [
    ...options,
    ...placed("Mounts", "mount", mounts, at),
    ...placed("Tmpfs", "tmpfs", tmpfs, at),
    ...placed("PortBindings", "publish", ports, at),
    ...placed("Env", "env", each(get(tree, "Env")), at),
  ];
  const rest = [...each(get(tree, "Entrypoint")), ...each(get(tree, "Cmd"))];
  return { launches: [launchWith(all, { image, rest }, { at: `${at} › Image` })] };
}

const placed = (key: string, name: string, values: readonly Known<string>[], at: string): PlacedOption[] =>
  values.map((value) => ({ name, value, at: `${at} › ${key}` }));

function mountOption(mount: Tree): Known<string> {
  const words = members(mount).map(([key, value]) => [key.toLowerCase(), scalar(value)] as const);
  if (words.some(([, value]) => value === UNKNOWN)) return UNKNOWN;
  return words.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${String(value)}`])).join(",");
}
