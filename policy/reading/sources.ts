import type { Value, Values } from "../pack/resource.ts";
import type { Content, Format, Known, Launch, Mount, Text } from "./content.ts";
import { UNKNOWN } from "./content.ts";
import { settingsOf } from "./settings.ts";
import { readerOfInput } from "./stdin.ts";

type Source = (props: Values) => Partial<Content> | Promise<Partial<Content>>;

/** Which texts and launches a resource of a type carries. Of all others, texts are told by how they begin. */
const SOURCES: Readonly<Record<string, Source>> = {
  "command:remote:Command": commandTexts,
  "command:local:Command": commandTexts,
  "command:remote:CopyToRemote": copiedText,
  "command:remote:CopyFile": copiedText,
  "hermes:index:HermesContainer": (props) => ({ launches: [componentLaunch(props)] }),
  // Its one text is the deploy key, which stays with the deploying machine.
  "hermes:index:HermesGuest": () => ({}),
  "tailscale:index/acl:Acl": ({ acl }) => ({ texts: textAt("acl", acl, "json") }),
};

/** What a resource says before its texts are read. */
export async function seedOf({ type, props }: { type: string; props: Values }): Promise<Partial<Content>> {
  const source = SOURCES[type] ?? (({ ...all }: Values) => ({ texts: anyTexts(all) }));
  return { settings: settingsOf(props), ...(await source(props)) };
}

/** Runs on a guest (remote) or on the machine that deploys (local); what stdin is, the command tells. */
async function commandTexts(props: Values): Promise<Partial<Content>> {
  const [interpreter = "sh"] = list(props["interpreter"]);
  const shell = interpreter === UNKNOWN || /(^|\/)(ba|da|a|k|z)?sh$/.test(interpreter);
  const format = shell ? "shell" : "script";
  const texts: Text[] = [];
  let input: Pick<Text, "format" | "path"> = {};
  for (const verb of ["create", "update", "delete"]) {
    const command = props[verb];
    texts.push(...textAt(verb, command, format));
    if (verb !== "delete" && typeof command === "string" && typeof props["stdin"] === "string") {
      input = { ...input, ...(await readerOfInput(command)) };
    }
  }
  const stdin = props["stdin"];
  if (typeof stdin === "string") texts.push({ at: "stdin", text: stdin, ...input });
  return { texts };
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
    command: list(props["command"]),
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
function anyTexts(props: Values): Text[] {
  return settingsOf(props).flatMap(({ at, value }) =>
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
