import { launchWith, type PlacedOption } from "../containers/podman.ts";
import { upToImage } from "../containers/podman-options.ts";
import { type Known, type Launch, type Mount, UNKNOWN } from "../content.ts";
import { systemdWords } from "../system/systemd-syntax.ts";
import { all, type Entry, isNothing, known, named, partly, scalar, values } from "./entries.ts";
import { UNKNOWN_NIX_VALUE } from "./render.ts";
import type { NixSetting } from "./walk.ts";

/** A module for containers: where it has them, and which of its options are which of `podman run`. */
interface Module {
  readonly prefix: readonly string[];
  /** Below a container's name. */
  readonly inside: readonly string[];
  readonly keys: ReadonlyArray<readonly [key: string, option: string, before?: string]>;
  readonly image: string;
  readonly variables: string;
  readonly words: string;
  readonly command: string;
}
const MODULES: readonly Module[] = [
  {
    prefix: ["virtualisation", "oci-containers", "containers"],
    inside: [],
    keys: [
      ["volumes", "volume"],
      ["ports", "publish"],
      ["networks", "network"],
      ["privileged", "privileged"],
      ["devices", "device"],
      ["entrypoint", "entrypoint"],
    ],
    image: "image",
    variables: "environment",
    words: "extraOptions",
    command: "cmd",
  },
  // https://github.com/SEIAROTg/quadlet-nix: Quadlet's keys, with a small first letter and in the plural.
  {
    prefix: ["virtualisation", "quadlet", "containers"],
    inside: ["containerConfig"],
    keys: [
      ["volumes", "volume"],
      ["mounts", "mount"],
      ["tmpfses", "tmpfs"],
      ["publishPorts", "publish"],
      ["networks", "network"],
      ["addCapabilities", "cap-add"],
      ["devices", "device"],
      ["userns", "userns"],
      ["entrypoint", "entrypoint"],
      ["seccompProfile", "security-opt", "seccomp="],
      ["appArmor", "security-opt", "apparmor="],
      ["unmask", "security-opt", "unmask="],
      ["securityLabelType", "security-opt", "label=type:"],
    ],
    image: "image",
    variables: "environments",
    words: "podmanArgs",
    command: "exec",
  },
];

/** Containers of NixOS modules. Where the file has several images for one, a launch for each. */
export function nixLaunches(settings: readonly NixSetting[], place: string): Launch[] {
  return MODULES.flatMap((module) =>
    [...named(settings, module.prefix)].flatMap(([name, entries]) => {
      const inside = entries.flatMap(([keys, setting]): Entry[] =>
        module.inside.every((key, index) => keys[index] === key)
          ? [[keys.slice(module.inside.length), setting]]
          : [],
      );
      return launches(module, inside, `${place} › ${name}`);
    }),
  );
}

function launches(module: Module, entries: readonly Entry[], at: string): Launch[] {
  const options = module.keys.flatMap(([key, name, before = ""]) =>
    values(entries, key).map((each): PlacedOption => {
      const value = partly(each);
      return { name, value: value === UNKNOWN ? UNKNOWN : before + value, at: each.at };
    }),
  );
  const pairs = entries.flatMap(([keys, setting]): PlacedOption[] => {
    const [key, name] = keys;
    if (name === undefined) return [];
    if (key === "capabilities") return setting.value === false ? [] : [{ name: "cap-add", value: name, at }];
    const value = scalar(setting);
    return key === module.variables
      ? [{ name: "env", value: `${name}=${value === UNKNOWN ? UNKNOWN_NIX_VALUE : value}`, at }]
      : [];
  });
  const labels = all(entries, "securityLabelDisable").some(({ value }) => value === true);
  const more = upToImage(words(entries, module.words), 0).options.map((option) => ({ ...option, at }));
  const unlabelled = labels ? [{ name: "security-opt", value: "label=disable", at }] : [];
  const rest = words(entries, module.command);
  const launch = launchWith([...options, ...pairs, ...unlabelled, ...more], { rest }, { at });
  const images = [...new Set(values(entries, module.image).map(scalar))];
  const shown = withoutUnknown(launch);
  return images.length === 0 ? [shown] : images.map((image) => ({ ...shown, image }));
}

/** A list of words, or a text with them. */
const words = (entries: readonly Entry[], key: string): Known<string>[] =>
  entries
    .filter(([keys, setting]) => keys[0] === key && !isNothing(setting))
    .flatMap(([keys, setting]) => {
      const value = partly(setting);
      return keys.length > 1 || value === UNKNOWN ? [value] : systemdWords(value).map(({ text }) => text);
    });

/** What is not known in part is not known, except for a mount, of which either half may be. */
function withoutUnknown(launch: Launch): Launch {
  const { network, environment } = launch;
  return {
    ...launch,
    ...(network === undefined ? {} : { network: known(network) }),
    environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, known(value)])),
    mounts: launch.mounts.map(mount),
    ports: launch.ports.map(known),
    command: launch.command.map(known),
  };
}

function mount({ source, target, ...rest }: Mount): Mount {
  const place = known(target);
  const from = source === undefined ? undefined : known(source);
  const hidden = from === UNKNOWN ? rest.kind === "volume" : place === UNKNOWN && from === undefined;
  return {
    ...rest,
    kind: hidden ? UNKNOWN : rest.kind,
    target: place,
    ...(from === undefined ? {} : { source: from }),
  };
}
