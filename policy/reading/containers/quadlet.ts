import { type Content, type FileSystem, type Known, type Launch, type Text, UNKNOWN } from "../content.ts";
import { volumeFileSystem } from "../system/mounts.ts";
import {
  assigned,
  environmentWords,
  expandedWord,
  systemdWords,
  type UnitEntry,
  type Variables,
} from "../system/systemd-syntax.ts";
import { pulls } from "./other-tools.ts";
import { launchesOf, launchWith, type PlacedOption } from "./podman.ts";
import { type Operand, upToImage } from "./podman-options.ts";

/** How a key's value is taken apart (podman 6.0, pkg/systemd/quadlet/quadlet.go): as a whole, or word by word. */
type Shape = "whole" | "words" | "switch";

/** Keys that matter here, each with the option of `podman run` that Quadlet makes of it. */
const KEYS: ReadonlyArray<readonly [key: string, option: string, shape: Shape, prefix?: string]> = [
  ["Entrypoint", "entrypoint", "whole"],
  ["Network", "network", "whole"],
  ["Environment", "env", "words"],
  ["PublishPort", "publish", "whole"],
  ["Volume", "volume", "whole"],
  ["Tmpfs", "tmpfs", "whole"],
  ["Mount", "mount", "words"],
  ["AddCapability", "cap-add", "words"],
  ["AddDevice", "device", "words"],
  ["UserNS", "userns", "whole"],
  ["SecurityLabelDisable", "security-opt", "switch", "label=disable"],
  ["SecurityLabelType", "security-opt", "whole", "label=type:"],
  ["SeccompProfile", "security-opt", "whole", "seccomp="],
  ["AppArmor", "security-opt", "whole", "apparmor="],
  ["Unmask", "security-opt", "words", "unmask="],
];

/**
 * Containers, pods and image pulls of Quadlet units (podman-systemd.unit(5)), and volumes that lie on a file system of
 * their own. A drop-in gives a launch with only what it says. `EnvironmentFile=` and `[Kube]` manifests are files of
 * their own: nothing is known of them here.
 *
 * Quadlet writes every value into a command line of the service, so systemd's specifiers and variables work in all.
 */
export function readQuadlet(
  entries: readonly UnitEntry[],
  text: Text,
): Pick<Content, "launches" | "fileSystems"> {
  const sections = new Set(entries.map(({ section }) => section));
  const variables: Variables = new Map(
    environmentWords(assigned(entries, "Service", "Environment").map(({ value }) => value)),
  );
  const launches = ["Container", "Pod", "Kube"]
    .filter((section) => sections.has(section))
    .flatMap((section) => launchesIn(section, entries, text, variables));
  // `[Volume]` has an Image= with Driver=image.
  const pulls = ["Image", "Volume"].flatMap((section) => pulled(section, entries, text, variables));
  const volume = sections.has("Volume") ? volumesOf(entries, text, variables) : [];
  return { launches: [...launches, ...pulls], fileSystems: volume };
}

function launchesIn(
  section: string,
  entries: readonly UnitEntry[],
  text: Text,
  variables: Variables,
): readonly Launch[] {
  const mine = entries.filter((entry) => entry.section === section);
  const options = KEYS.flatMap(([key, name, shape, prefix]) =>
    assigned(mine, section, key).flatMap(({ value }) =>
      valuesOf(value, shape, variables)
        .filter((word) => shape !== "switch" || isYes(word))
        .map(
          (word): PlacedOption => ({
            name,
            value: word === UNKNOWN ? UNKNOWN : `${prefix ?? ""}${shape === "switch" ? "" : word}`,
            at: `${text.at} › ${key}`,
            written: word === UNKNOWN ? key : `${key}=${word}`,
          }),
        ),
    ),
  );
  // PodmanArgs= stand before the image: an operand among them takes the image's place.
  const extra = upToImage(words(mine, section, "PodmanArgs", variables), 0);
  const added = extra.options.map((option): PlacedOption => ({ ...option, at: `${text.at} › PodmanArgs` }));
  const origin = { at: `${text.at} › [${section}]` };
  const all = [...options, ...added];
  const image = imageOf(section, mine, variables);
  const rest = words(assigned(mine, section, "Exec").slice(-1), section, "Exec", variables);
  const operand: Partial<Operand> & Pick<Operand, "rest"> = image === undefined ? { rest } : { image, rest };
  return [
    launchWith(all, section === "Container" ? operand : undefined, origin),
    ...(section === "Container" ? extra.operands.map((other) => launchWith(all, other, origin)) : []),
    // GlobalArgs= stand before Quadlet's own subcommand: another one among them comes first.
    ...launchesOf({
      at: `${text.at} › GlobalArgs`,
      words: ["podman", ...words(mine, section, "GlobalArgs", variables)],
      environment: {},
    }),
  ];
}

function pulled(
  section: string,
  entries: readonly UnitEntry[],
  text: Text,
  variables: Variables,
): readonly Launch[] {
  const image = imageOf(section, entries, variables);
  if (image === undefined) return [];
  return pulls([image], `${text.at} › [${section}]`);
}

/** Undefined when none is said, and when another Quadlet unit (`x.image`, `x.build`) says it. */
function imageOf(
  section: string,
  entries: readonly UnitEntry[],
  variables: Variables,
): Known<string> | undefined {
  const value = assigned(entries, section, "Image").at(-1)?.value;
  if (value === undefined) return undefined;
  const [image] = valuesOf(value, "whole", variables);
  return typeof image === "string" && /^[^/:@]+\.(?:image|build)$/.test(image) ? undefined : image;
}

/**
 * A volume with a device, a type or a driver, under each name by which containers mount it: the unit's (`data.volume`)
 * and the one that podman gives it (`VolumeName=`, else `systemd-data`).
 */
function volumesOf(entries: readonly UnitEntry[], text: Text, variables: Variables): readonly FileSystem[] {
  const whole = (key: string): Known<string> | undefined => {
    const value = assigned(entries, "Volume", key).at(-1)?.value;
    return value === undefined ? undefined : valuesOf(value, "whole", variables)[0];
  };
  const said = [
    ...(["Type", "Device", "Driver"] as const).map((key) => [key.toLowerCase(), whole(key)] as const),
    ["o", whole("Options")] as const,
  ];
  const unit = /([^/]+)\.volume(?:\.d\/[^/]*)?$/.exec(text.path ?? "")?.[1];
  const given: Known<string> | undefined =
    whole("VolumeName") ?? (unit === undefined ? undefined : `systemd-${unit}`);
  const names: readonly Known<string>[] = [unit === undefined ? undefined : `${unit}.volume`, given].filter(
    (name): name is Known<string> => name !== undefined,
  );
  const more = words(entries, "Volume", "PodmanArgs", variables);
  const mounted: readonly Known<string>[] = names.length === 0 ? [UNKNOWN] : names;
  return mounted.flatMap((name) => volumeFileSystem(`${text.at} › [Volume]`, name, new Map(said), more));
}

function words(
  entries: readonly UnitEntry[],
  section: string,
  key: string,
  variables: Variables,
): readonly Known<string>[] {
  return assigned(entries, section, key).flatMap(({ value }) =>
    systemdWords(value).flatMap(({ text }) => expandedWord(text, variables)),
  );
}

function valuesOf(value: string, shape: Shape, variables: Variables): readonly Known<string>[] {
  const parts = shape === "words" ? systemdWords(value).map(({ text }) => text) : [unquoted(value)];
  return parts.flatMap((part) => {
    const expanded = expandedWord(part, variables);
    return shape === "words" || expanded.length === 1 ? expanded : [UNKNOWN];
  });
}

/** Quotes around a whole value come off. */
function unquoted(value: string): string {
  const [first, ...others] = /^["']/.test(value) ? systemdWords(value) : [];
  return first !== undefined && others.length === 0 ? first.text : value;
}

const isYes = (word: Known<string>): boolean =>
  typeof word === "string" && /^(?:1|yes|true|on|y|t)$/i.test(word);
