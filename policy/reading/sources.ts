import type { Value, Values } from "../pack/resource.ts";
import { pulls } from "./containers/other-tools.ts";
import type { Command, Content, Format, Known, Launch, Mount, Setting, Text } from "./content.ts";
import { UNKNOWN } from "./content.ts";
import { formatOf } from "./format.ts";
import { keyOf, Memo } from "./memo.ts";
import { settingsOf } from "./settings.ts";
import { type InputUses, inputTexts, inputUses } from "./stdin.ts";

type Source = (props: Values, settings: readonly Setting[]) => Partial<Content> | Promise<Partial<Content>>;

/** Which texts and launches a resource of a type carries. Of all others, texts are told by how they begin. */
const SOURCES: Readonly<Record<string, Source>> = {
  "command:remote:Command": commandTexts,
  "command:local:Command": commandTexts,
  "command:remote:CopyToRemote": copiedText,
  "command:remote:CopyFile": copiedText,
  "hermes:index:HermesContainer": (props) => {
    const launches = [componentLaunch(props)];
    return known.of(keyOf(launches), async () => ({ launches }));
  },
  // Its one text is the deploy key, which stays with the deploying machine.
  "hermes:index:HermesGuest": () => ({}),
  "proxmoxve:index/fileLegacy:FileLegacy": snippetText,
  "proxmoxve:oci/image:Image": imageDownload,
  "proxmoxve:oci/imageLegacy:ImageLegacy": imageDownload,
  "tailscale:index/acl:Acl": ({ acl }) => ({ texts: textAt("acl", acl, "json") }),
};

/**
 * What a resource says before its texts are read, besides its properties themselves.
 * @param settings its properties: `settingsOf(props)`.
 */
export async function seedOf(
  { type, props }: { type: string; props: Values },
  settings: readonly Setting[] = settingsOf(props),
): Promise<Partial<Content>> {
  const source = SOURCES[type] ?? (() => ({ texts: anyTexts(settings) }));
  return await source(props, settings);
}

/** What is run on one guest is mostly run on the next one, too: the same is said by the same object. */
const known = new Memo<Promise<Partial<Content>>>();

/** Runs on a guest (remote) or on the machine that deploys (local); what stdin is, the command tells. */
function commandTexts(props: Values): Promise<Partial<Content>> {
  const { interpreter, environment } = props;
  // Only texts of these are read.
  const texts = ["create", "update", "delete", "stdin"].map((key) => props[key]);
  const key = keyOf([interpreter, environment, ...texts.map((it) => (typeof it === "string" ? it : null))]);
  return known.of(key, () => foundTexts(props));
}

async function foundTexts(props: Values): Promise<Partial<Content>> {
  const { preamble, withInput } = await import("./shell/preamble.ts");
  const environment = isValues(props["environment"]) ? environmentOf(props["environment"]) : {};
  const variable = (name: string): string | undefined => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === UNKNOWN ? undefined : value;
  };
  const told = (script: string): string => {
    const first = /^#![^\n]*sh\b[^\n]*\n/.exec(script)?.[0] ?? "";
    return first + preamble(script, variable) + script.slice(first.length);
  };
  const interpreter = list(props["interpreter"]);
  const given = props["stdin"];
  const stdin = typeof given === "string" ? given : undefined;
  const texts: Text[] = [];
  const commands: Command[] = [];
  const uses: InputUses["uses"][number][] = [];
  for (const verb of ["create", "update", "delete"]) {
    const script = props[verb];
    if (typeof script !== "string") continue;
    const words = [...(interpreter.length === 0 ? ["sh", "-c"] : interpreter), script];
    const command: Command = { at: verb, words, environment };
    const input = stdin === undefined ? undefined : await inputUses(command);
    uses.push(...(input?.uses ?? []));
    const read = input?.changed ? stdin : undefined;
    if (interpreter.length === 0) texts.push(...textAt(verb, told(withInput(script, read)), "shell"));
    else {
      commands.push(read === undefined ? command : { ...command, input: read });
      texts.push(...(await programOf(command, script)));
    }
  }
  if (stdin !== undefined) texts.push(...inputTexts(stdin, uses, told));
  return { texts, commands };
}

/** The text that an interpreter is given, where nothing tells what it does with it: another shell, most likely. */
async function programOf(command: Command, script: string): Promise<Text[]> {
  const { unwrapped } = await import("./shell/commands.ts");
  const known = unwrapped(command).texts.length > 0;
  if (known) return [];
  const language = command.words.some(
    (word) => word !== UNKNOWN && /(^|\/)(python|perl|ruby|node|nodejs|php|lua|deno|bun)[\d.]*$/.test(word),
  );
  return textAt(command.at, script, language ? "script" : "shell");
}

function copiedText(props: Values): Partial<Content> {
  const source = props["source"] ?? props["localPath"];
  const text = isValues(source) ? source["text"] : undefined;
  const path = props["remotePath"];
  return {
    texts:
      typeof text === "string"
        ? [{ at: "source", text, path: typeof path === "string" ? path : undefined }]
        : [],
  };
}

/** A snippet is called as its file is; prose it is none, since cloud-init reads it by its first line. */
function snippetText(props: Values, settings: readonly Setting[]): Partial<Content> {
  const { sourceRaw } = props;
  if (!isValues(sourceRaw)) return { texts: anyTexts(settings) };
  const { data, fileName, ...rest } = sourceRaw;
  if (typeof data !== "string") return { texts: anyTexts(settings) };
  const given =
    typeof fileName === "string" ? { at: "sourceRaw.data", path: fileName, text: data } : undefined;
  const path = given !== undefined && formatOf({ ...given, text: "" }) !== "prose" ? given.path : undefined;
  const others = anyTexts(settingsOf({ ...props, sourceRaw: rest }));
  return { texts: [{ at: "sourceRaw.data", path, text: data }, ...others] };
}

/** Proxmox VE fetches an image from a registry, as the template of a container. */
function imageDownload({ reference }: Values): Partial<Content> {
  const image = text(reference);
  return image === undefined ? {} : { launches: pulls([image], "reference") };
}

/** A component's args (`image`, `network`, `environment`, `volumes`, `command`) are a launch as they stand. */
function componentLaunch(props: Values): Launch {
  const given = props["volumes"];
  const volumes: readonly Value[] = Array.isArray(given) ? given : given === UNKNOWN ? [UNKNOWN] : [];
  const image = text(props["image"]);
  const network = text(props["network"]);
  return {
    at: "args",
    component: true,
    verb: "run",
    ...(image === undefined ? {} : { image }),
    ...(network === undefined ? {} : { network }),
    environment: isValues(props["environment"]) ? environmentOf(props["environment"]) : {},
    mounts: volumes.map((volume, index) => componentMount(isValues(volume) ? volume : HIDDEN, index)),
    ports: ["ports", "publish"].flatMap((key) => list(props[key])),
    privileges: props["privileged"] === true ? ["privileged"] : [],
    command: ["entrypoint", "command"].flatMap((key) => list(props[key])),
  };
}

/** A mount of which nothing is known yet. */
const HIDDEN: Values = { kind: UNKNOWN, target: UNKNOWN, readOnly: UNKNOWN };

function componentMount(volume: Values, index: number): Mount {
  const kind = volume["kind"];
  const source = text(volume["source"]);
  const readOnly = volume["readOnly"];
  return {
    at: `volumes.${index}`,
    kind:
      kind === UNKNOWN
        ? UNKNOWN
        : kind === "bind" || kind === "tmpfs" || kind === "anonymous"
          ? kind
          : "other",
    ...(source === undefined ? {} : { source }),
    target: text(volume["target"]) ?? "",
    readOnly: readOnly === UNKNOWN ? UNKNOWN : readOnly === true,
    options: [],
  };
}

/** Texts anywhere in a resource that is of no known kind. A user's prose stays prose: only what begins like a file is read. */
function anyTexts(settings: readonly Setting[]): Text[] {
  return settings.flatMap(({ at, value }) =>
    typeof value === "string" && value.includes("\n") ? [{ at, text: value }] : [],
  );
}

function textAt(at: string, value: Value, format?: Format): Text[] {
  return typeof value === "string" ? [{ at, text: value, format }] : [];
}

function environmentOf(values: Values): Record<string, Known<string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value) ?? ""]));
}

function list(value: Value): Known<string>[] {
  if (value === undefined || value === null) return [];
  const entries: readonly Value[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => text(entry) ?? "");
}

function text(value: Value): Known<string> | undefined {
  if (value === UNKNOWN || value === undefined || value === null) return value ?? undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function isValues(value: Value): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
