import {
  type Command,
  type Content,
  type Format,
  type Launch,
  type Reader,
  type Text,
  UNKNOWN,
} from "./content.ts";
import { formatsOf } from "./format.ts";
import { interpreterCommand } from "./interpreter.ts";

/** Texts in texts in texts: what lies deeper is not read, and shows as `unread`. */
const DEEPEST = 12;
/** Characters of one resource's texts that are read, the nested ones included; the same for what lies beyond. */
const MOST = 32 * 2 ** 20;

/** A reader is loaded when a text of its format is first met: most runs meet two or three of them. */
const READERS: Readonly<Record<Exclude<Format, "prose">, () => Promise<Reader>>> = {
  shell: async () => (await import("./shell/shell.ts")).readShell,
  unit: async () => (await import("./system/unit.ts")).readUnit,
  yaml: async () => (await import("./data/yaml.ts")).readYaml,
  json: async () => (await import("./data/json.ts")).readJson,
  nix: async () => (await import("./nix/nix.ts")).readNix,
  script: async () => (await import("./script/script.ts")).readScript,
  environment: async () => (await import("./system/environment.ts")).readEnvironment,
  fstab: async () => (await import("./system/mounts.ts")).readFstab,
  cron: async () => (await import("./system/cron.ts")).readCron,
  containerfile: async () => (await import("./containers/containerfile.ts")).readContainerfile,
};

type Found = { [Key in keyof Content]: Content[Key][number][] };
type Part = Partial<Content> & { readonly bare?: boolean };

/** What is done to one guest is mostly done to the next one, too: what was read of the same seed is kept with it. */
const known = new WeakMap<Partial<Content>, Promise<Content>>();

/** Everything that `seed` says, with the texts in it read, and the texts in those, and with commands taken out of their wrappers. */
export function contentOf(seed: Partial<Content>): Promise<Content> {
  const content = known.get(seed) ?? readAll(seed);
  known.set(seed, content);
  return content;
}

async function readAll(seed: Partial<Content>): Promise<Content> {
  const found: Found = { texts: [], commands: [], settings: [], launches: [], fileSystems: [], unread: [] };
  let waiting: Part[] = [seed];
  let budget = MOST;
  const seen = new Set<string>();
  for (let depth = 0; waiting.length > 0; depth += 1) {
    const texts: Text[] = [];
    for (const part of waiting) add(texts, await takeIn(part, found));
    waiting = [];
    for (const text of texts) {
      const key = JSON.stringify([text.format, text.path, text.executable, text.at]) + text.text;
      if (seen.has(key)) continue;
      seen.add(key);
      if (text.packed) found.unread.push(text.at);
      const formats = formatsOf(text).filter((format) => format !== "prose");
      const size = formats.length === 0 ? 0 : text.text.length;
      if (formats.length > 0 && (depth >= DEEPEST || size > budget)) {
        found.unread.push(text.at);
        continue;
      }
      budget -= size;
      found.texts.push(text);
      for (const format of formats)
        waiting.push({ ...(await READERS[format]())(text), bare: format === "shell" });
      const interpreter = interpreterCommand(text);
      if (interpreter !== undefined) waiting.push({ texts: [interpreter] });
    }
  }
  return found;
}

/** Adds what a part says to what was found. Gives the texts that are to be read next. */
async function takeIn(part: Part, found: Found): Promise<Text[]> {
  // The shell's reader has taken the wrappers off already.
  const given = part.bare ? { commands: part.commands ?? [], texts: [] } : await unwrap(part.commands);
  const behind = await unwrap(given.commands.flatMap(behindUnknown));
  const commands = given.commands.concat(behind.commands);
  const launches = (part.launches ?? []).concat(await launchesOf(commands));
  // What a container's entry point is given may well be a program: `sh -c …`, `tailscale …`.
  const started = await unwrap(launches.map(entryPoint));
  add(found.commands, commands);
  add(found.commands, started.commands);
  add(found.launches, launches);
  add(found.settings, part.settings);
  add(found.fileSystems, part.fileSystems);
  add(found.fileSystems, await fileSystemsOf(commands));
  add(found.unread, part.unread);
  return [
    ...(part.texts ?? []),
    ...given.texts,
    ...behind.texts,
    ...started.texts,
    ...(await textsOf(commands)),
  ];
}

/** `push(...items)` takes each as an argument, of which there may be too many. */
function add<Item>(list: Item[], items: readonly Item[] = []): void {
  for (const item of items) list.push(item);
}

async function unwrap(commands: readonly Command[] = []): Promise<{ commands: Command[]; texts: Text[] }> {
  if (commands.length === 0) return { commands: [], texts: [] };
  const { unwrapped } = await import("./shell/commands.ts");
  const parts = commands.map((command) => unwrapped(command));
  return {
    commands: parts.flatMap((part) => part.commands),
    texts: parts.flatMap((part) => part.texts),
  };
}

async function launchesOf(commands: readonly Command[]): Promise<Launch[]> {
  if (commands.length === 0) return [];
  const { launchesOf: podman } = await import("./containers/podman.ts");
  return commands.flatMap((command) => podman(command));
}

async function textsOf(commands: readonly Command[]): Promise<Text[]> {
  if (commands.length === 0) return [];
  const { inputTexts } = await import("./containers/input-texts.ts");
  return commands.flatMap((command) => inputTexts(command));
}

async function fileSystemsOf(commands: readonly Command[]): Promise<Content["fileSystems"]> {
  if (commands.length === 0) return [];
  const { mountsOf } = await import("./system/mounts.ts");
  return commands.flatMap((command) => mountsOf(command));
}

/** `$SUDO tailscale funnel`: a variable in front may be a wrapper, or empty. */
function behindUnknown(command: Command): Command[] {
  const first = command.words.findIndex((word) => word !== UNKNOWN);
  return first > 0 ? [{ ...command, words: command.words.slice(first) }] : [];
}

const entryPoint = ({ at, command, environment }: Launch): Command => ({
  at,
  words: command,
  environment,
});
