import { baseName } from "../argv.ts";
import { type Command, type Known, type Launch, type Mount, type Placed, UNKNOWN } from "../content.ts";
import { isFalse, longMount, tmpfsMount, unknownMount, volumeMount } from "./container-mounts.ts";
import { otherLaunches, pulls } from "./other-tools.ts";
import {
  GLOBAL_OPTIONS,
  looksLikeImage,
  type Operand,
  type Option,
  type OptionTable,
  optionAt,
  PULL_OPTIONS,
  upToImage,
} from "./podman-options.ts";

const PROGRAMS: ReadonlySet<string> = new Set(["podman", "podman-remote", "docker", "nerdctl"]);
/** Commands with subcommands of their own, some of which start or fetch something. */
const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["container", new Set(["run", "create"])],
  ["image", new Set(["pull", "tag"])],
  ["pod", new Set(["create"])],
  ["service", new Set(["create"])],
]);
const VERBS: ReadonlySet<string> = new Set(["run", "create", "pull", "tag", ...GROUPS.keys()]);

/**
 * The containers that a podman, docker or nerdctl command starts or makes, and the images that it pulls: mostly none or
 * one. `pull` takes several images; and where it cannot be told which word is the image, each that may be is reported.
 * A pod is a launch without an image. Compose files and Kubernetes objects are read elsewhere, as YAML.
 */
export function launchesOf(command: Command): readonly Launch[] {
  const [program, ...words] = command.words;
  if (typeof program !== "string") return [];
  if (!PROGRAMS.has(baseName(program))) return otherLaunches(command);
  const found = subcommand(words);
  if (found === undefined) return [];
  const { name, from } = found;
  if (name === "pull") return pulls(pulledImages(words.slice(from), PULL_OPTIONS), command.at);
  // A second name for an image hides the first: only the one that is there already counts.
  if (name === "tag") return pulls(pulledImages(words.slice(from), PULL_OPTIONS).slice(0, 1), command.at);
  const { options, operands } = upToImage(words, from);
  const placed = options.map(
    (option): PlacedOption => ({ ...option, at: `${command.at} › --${option.name}` }),
  );
  if (name === "pod create") return [launchWith(placed, undefined, command)];
  return operands.map((operand) => launchWith(placed, operand, command));
}

/** Passes over global options; words that only the shell knows may be options, too. */
function subcommand(words: readonly Known<string>[]): { name: string; from: number } | undefined {
  let at = 0;
  let sure = true;
  while (at < words.length) {
    const word = words[at];
    if (typeof word !== "string") {
      sure = false;
      at++;
    } else if (word.startsWith("-")) {
      const read = optionAt(words, at, GLOBAL_OPTIONS);
      at += read.length;
      const next = words[at];
      if (read.unsure && typeof next === "string" && !next.startsWith("-") && !VERBS.has(next)) at++;
    } else {
      const group = GROUPS.get(word);
      if (group === undefined) {
        if (VERBS.has(word)) return { name: word, from: at + 1 };
        if (sure) return undefined;
        at++;
        continue;
      }
      // Between a group and its command stand no options but --help.
      const next = words.slice(at + 1).findIndex((other) => typeof other === "string" && group.has(other));
      if (
        next !== 0 &&
        !(next > 0 && words.slice(at + 1, at + 1 + next).every((other) => typeof other !== "string"))
      ) {
        return undefined;
      }
      const verb = words[at + 1 + next];
      return { name: word === "pod" ? "pod create" : String(verb), from: at + 2 + next };
    }
  }
  return undefined;
}

/** `pull` takes options between and after images as well. */
function pulledImages(words: readonly Known<string>[], table: OptionTable): readonly Known<string>[] {
  const images: Known<string>[] = [];
  let at = 0;
  while (at < words.length) {
    const word = words[at];
    if (word === undefined) break;
    if (word === "--") return [...images, ...words.slice(at + 1)];
    if (typeof word !== "string" || !word.startsWith("-")) {
      images.push(word);
      at++;
      continue;
    }
    const read = optionAt(words, at, table);
    at += read.length;
    const next = words[at];
    if (read.unsure && typeof next === "string" && !next.startsWith("-") && !looksLikeImage(next)) at++;
  }
  return images;
}

/** An option of `run` with the place where a person finds it. */
export interface PlacedOption extends Option, Placed {
  /** How it is written where that is no command line: `AddCapability=ALL`. */
  readonly written?: string;
}

/**
 * A launch with these options of `podman run`.
 * @param origin where it is, and the variables that `--env NAME` passes on
 */
export function launchWith(
  options: readonly PlacedOption[],
  operand: (Partial<Operand> & Pick<Operand, "rest">) | undefined,
  origin: Placed & { readonly environment?: Command["environment"] },
): Launch {
  const environment: (readonly [string, Known<string>])[] = [];
  const entry: Known<string>[] = [];
  const networks: Known<string>[] = [];
  const mounts: Mount[] = [];
  const ports: Known<string>[] = [];
  const privileges: string[] = [];
  let rootfs = false;
  for (const option of options) {
    const { name, value, at } = option;
    if (name === "env") environment.push(...variable(value, origin.environment ?? {}));
    else if (name === "entrypoint") entry.splice(0, entry.length, ...entryPoint(value));
    else if (name === "network") networks.push(value);
    else if (name === "publish") ports.push(value);
    else if (name === "publish-all" && !isFalse(value)) ports.push("all");
    else if (name === "rootfs") rootfs = !isFalse(value);
    else if (name === "volume") mounts.push(volumeMount(value, at));
    else if (name === "tmpfs") mounts.push(tmpfsMount(value, at));
    else if (name === "mount") mounts.push(longMount(value, at));
    else if (name === "volumes-from") mounts.push(unknownMount(at));
    else if (takesWallsDown(option)) privileges.push(option.written ?? asWritten(option));
  }
  // A container has one network or several of its own; with `host` among them, that is what matters.
  const network = networks.find((candidate) => candidate === "host") ?? networks[0];
  return {
    at: origin.at,
    verb: "run",
    // With --rootfs the word is a folder.
    ...(operand?.image === undefined || rootfs ? {} : { image: operand.image }),
    ...(network === undefined ? {} : { network }),
    environment: Object.fromEntries(environment),
    mounts,
    ports,
    privileges,
    command: [...entry, ...(operand?.rest ?? [])],
  };
}

/** One program, or (in podman) a JSON list of its words. */
function entryPoint(value: Known<string>): readonly Known<string>[] {
  if (value === UNKNOWN || !value.trimStart().startsWith("[")) return value === "" ? [] : [value];
  try {
    const words: unknown = JSON.parse(value);
    return Array.isArray(words) ? words.map(String) : [value];
  } catch {
    return [value];
  }
}

function variable(
  value: Known<string>,
  passed: Command["environment"],
): readonly (readonly [string, Known<string>])[] {
  if (value === UNKNOWN) return [];
  const equals = value.indexOf("=");
  if (equals >= 0) return [[value.slice(0, equals), value.slice(equals + 1)]];
  return [[value, Object.hasOwn(passed, value) ? (passed[value] ?? UNKNOWN) : UNKNOWN]];
}

/** What gives a container rights over the machine that it would not have by itself. */
function takesWallsDown({ name, value }: Option): boolean {
  switch (name) {
    case "privileged":
    // Docker mounts its own socket and credentials.
    case "use-api-socket":
      return !isFalse(value);
    case "cap-add":
    case "device":
    case "device-cgroup-rule":
      return true;
    case "pid":
    case "ipc":
    case "userns":
      // `ns:/proc/1/ns/pid` is the host's by another name.
      return typeof value === "string" && /^(?:host|ns:)/.test(value);
    case "security-opt":
      // spc_t is SELinux's type for containers without confinement; unmask shows what of /proc is hidden.
      return typeof value === "string" && /disable|unconfined|unmask|spc_t/.test(value);
    default:
      return false;
  }
}

function asWritten({ name, value }: Option): string {
  return typeof value !== "string" || value === "true" ? `--${name}` : `--${name}=${value}`;
}
