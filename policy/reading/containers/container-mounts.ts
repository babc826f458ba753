import { type Known, type Mount, type MountKind, UNKNOWN } from "../content.ts";

/** Nothing is known of the mount but that there is one: `--volumes-from`, or a word that only the shell knows. */
export const unknownMount = (at: string): Mount => ({
  at,
  kind: UNKNOWN,
  target: UNKNOWN,
  readOnly: UNKNOWN,
  options: [],
});

/**
 * `--volume` and Quadlet's `Volume=`: `[SOURCE:]TARGET[:OPTIONS]` (podman-run(1)). A source that begins with a dot or a
 * slash is a path of the host, another one the name of a volume; a Quadlet unit's name (`data.volume`) stays as it is.
 * An overlay (`O` in the options) throws away what is written; it shows as a bind with that option.
 */
export function volumeMount(spec: Known<string>, at: string): Mount {
  if (spec === UNKNOWN) return unknownMount(at);
  const [first = "", second, ...others] = spec.split(":");
  if (second === undefined) return { at, kind: "anonymous", target: first, readOnly: false, options: [] };
  const options = split(others.join(":"));
  // A specifier for a folder (`%h`, `%S`) is a path; `~` is for those who count on the shell, or on Docker.
  const kind: MountKind = /^[./~%\\]/.test(first) ? "bind" : first === "" ? "anonymous" : "volume";
  return {
    at,
    kind,
    ...(first === "" ? {} : { source: first }),
    target: second,
    readOnly: options.includes("ro") || options.includes("readonly"),
    options: options.filter((option) => !ACCESS.has(option)),
  };
}

/** `--tmpfs` and Quadlet's `Tmpfs=`: `TARGET[:OPTIONS]`. */
export function tmpfsMount(spec: Known<string>, at: string): Mount {
  if (spec === UNKNOWN) return { ...unknownMount(at), kind: "tmpfs" };
  const [target = "", ...others] = spec.split(":");
  const options = split(others.join(":"));
  return {
    at,
    kind: "tmpfs",
    target,
    readOnly: options.includes("ro"),
    options: options.filter((option) => !ACCESS.has(option)),
  };
}

const ACCESS: ReadonlySet<string> = new Set(["ro", "rw", "readonly", "readwrite"]);
const KINDS: ReadonlyMap<string, MountKind> = new Map([
  ["bind", "bind"],
  // The files of the host that a pattern matches.
  ["glob", "bind"],
  ["volume", "volume"],
  ["tmpfs", "tmpfs"],
  ["ramfs", "tmpfs"],
  ["image", "image"],
]);

/** `--mount` and Quadlet's `Mount=`: a line of CSV, `type=bind,source=/a,destination=/b,ro` (podman-run(1)). */
export function longMount(spec: Known<string>, at: string): Mount {
  if (spec === UNKNOWN) return unknownMount(at);
  // Both tools take a mount without a type for a volume.
  let type = "volume";
  let source: string | undefined;
  let target: string | undefined;
  let access: boolean | undefined;
  const options: string[] = [];
  for (const field of fields(spec)) {
    const equals = field.indexOf("=");
    const key = (equals < 0 ? field : field.slice(0, equals)).trim().toLowerCase();
    const value = equals < 0 ? undefined : field.slice(equals + 1);
    if (key === "type" && value !== undefined) type = value.toLowerCase();
    else if (key === "source" || key === "src") source = value;
    else if (key === "destination" || key === "dst" || key === "dest" || key === "target") target = value;
    else if (key === "ro" || key === "readonly") access = !isFalse(value);
    else if (key === "rw" || key === "readwrite") access = isFalse(value);
    else options.push(field);
  }
  const known = KINDS.get(type) ?? "other";
  const kind = known === "volume" && (source === undefined || source === "") ? "anonymous" : known;
  return {
    at,
    kind,
    ...(source === undefined || source === "" ? {} : { source }),
    // Globs without a destination keep the host's paths.
    target: target ?? (type === "glob" && source !== undefined ? source : UNKNOWN),
    readOnly: access ?? kind === "image",
    options: KINDS.has(type) ? options : [`type=${type}`, ...options],
  };
}

/** What Go's flag packages take for false. */
export const isFalse = (value: Known<string> | undefined): boolean =>
  typeof value === "string" && /^(?:0|f|false)$/i.test(value);

const split = (options: string): readonly string[] => options.split(",").filter((option) => option !== "");

/** The fields of one line of CSV. */
function fields(line: string): readonly string[] {
  const found: string[] = [];
  let field = "";
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === "," && !quoted) {
      found.push(field);
      field = "";
    } else field += character;
  }
  return [...found, field].filter((text) => text !== "");
}
