import { type Command, type Content, type FileSystem, type Known, type Text, UNKNOWN } from "../content.ts";
import { decoded, get, isList, isMembers, items, members, scalar, type Tree } from "./payload.ts";

const DEEPEST_MIME = 8;
const CONFIG_KEYS = ["write_files", "runcmd", "bootcmd", "cloud_config_modules", "mounts", "ssh_keys"];
const CONFIG_OBJECTS = ["autoinstall", "power_state", "random_seed", "wireguard"];

/** Whether data is a cloud-config: by its first line, or by keys that nothing else has. */
export const isCloudConfig = (text: string, tree: Tree): boolean =>
  /^(?:## template:[^\n]*\n)?#cloud-config\b/.test(text) ||
  CONFIG_KEYS.some((key) => isList(get(tree, key))) ||
  (isList(get(tree, "users")) && isList(get(tree, "packages"))) ||
  CONFIG_OBJECTS.some((key) => isMembers(get(tree, key)));

/** Commands and mounts of a cloud-config. Its `write_files` are found as every object with `path` and `content` is. */
export function cloudConfig(tree: Tree, at: string): Partial<Content> {
  const texts: Text[] = [];
  const commands: Command[] = [];
  const run = (list: Tree | undefined, place: string): void => {
    // cloud-init writes one script of all entries: what one assigns, the next ones see.
    let assigned = "";
    const entries: readonly (Tree | undefined)[] = isMembers(list)
      ? list.members.map(([, entry]) => entry)
      : isList(list)
        ? list
        : [list];
    for (const [index, entry] of entries.entries()) {
      const where = `${at} › ${place}[${index}]`;
      if (isList(entry)) commands.push({ at: where, words: words(entry), environment: {} });
      else if (typeof entry === "string") {
        texts.push({ at: where, text: assigned + entry, format: "shell" });
        if (/^\s*(?:export\s+)?[A-Za-z_]\w*=/.test(entry)) assigned += `${entry}\n`;
      }
    }
  };
  for (const [key, value] of members(tree)) {
    if (key === "runcmd" || key === "bootcmd") run(value, key);
    if (key === "snap") run(get(value, "commands"), "snap.commands");
    // Each is one command: a list of words, or a text.
    if (key === "power_state") run(asOne(get(value, "condition")), "power_state.condition");
    if (key === "random_seed") run(asOne(get(value, "command")), "random_seed.command");
    if (key === "wireguard") add(texts, wireguardTexts(value, at));
    if (key === "autoinstall") {
      for (const name of ["early-commands", "late-commands", "error-commands"])
        run(get(value, name), `autoinstall.${name}`);
      const inner = get(value, "user-data");
      if (inner !== undefined && isMembers(inner)) {
        const nested = cloudConfig(inner, `${at} › autoinstall.user-data`);
        add(texts, nested.texts);
        add(commands, nested.commands);
      }
    }
  }
  return { texts, commands, fileSystems: mounts(tree, at) };
}

const asOne = (command: Tree | undefined): Tree => (isList(command) ? [command] : (command ?? null));

function add<Item>(list: Item[], items: readonly Item[] = []): void {
  for (const item of items) list.push(item);
}

/** The commands that wg-quick(8) runs with a shell; `%i` is the interface. */
function wireguardTexts(tree: Tree, at: string): Text[] {
  return items(get(tree, "interfaces")).flatMap((one, index) => {
    const content = get(one, "content");
    if (typeof content !== "string") return [];
    return [...content.matchAll(/^[ \t]*(?:Pre|Post)(?:Up|Down)[ \t]*=(.*)$/gim)].map(([, command = ""]) => ({
      at: `${at} › wireguard.interfaces[${index}]`,
      text: command.trim(),
      format: "shell" as const,
    }));
  });
}

const words = (list: readonly Tree[]): Known<string>[] => list.map((word) => scalar(word) ?? UNKNOWN);

/** `mounts`: lists in the order of fstab's fields. */
function mounts(tree: Tree, at: string): FileSystem[] {
  return items(get(tree, "mounts")).flatMap((entry, index) => {
    const [device, mountPoint, type] = items(entry).map(scalar);
    if (mountPoint === undefined) return [];
    return [
      {
        at: `${at} › mounts[${index}]`,
        mountPoint,
        ...(type === undefined || type === "auto" ? {} : { type }),
        ...(device === undefined ? {} : { device }),
      },
    ];
  });
}

/**
 * What cloud-init makes of user data: MIME messages are taken apart, and each part is read by its type or by its first
 * line (https://docs.cloud-init.io/en/latest/explanation/format.html). What `#include` names can't be read.
 */
export function userDataTexts(text: Text): readonly Text[] {
  return split(text, "", 0);
}

function split(text: Text, type: string, depth: number): readonly Text[] {
  const body = text.text.replace(/^\uFEFF/, "");
  if (depth > DEEPEST_MIME) return [{ ...text, text: body }];
  const head = body.slice(0, 4096);
  // The sign by which cloud-init itself knows a message.
  if (type === "" && (/mime-version:/i.test(head) || /^content-type:/i.test(head)))
    return message({ ...text, text: body }, depth);
  if (/^## template:[^\n]*jinja/i.test(body) || type === "text/jinja2")
    return split({ ...text, text: body.replace(/^##[^\n]*\n?/, "") }, "", depth + 1);
  const kind = type === "" ? byFirstLine(body) : type;
  if (
    kind === "text/cloud-config" ||
    kind === "text/cloud-config-archive" ||
    kind === "text/cloud-config-jsonp"
  )
    return [{ ...text, text: body, format: "yaml" }];
  if (kind === "text/x-include-url" || kind === "text/x-include-once-url")
    return [{ ...text, text: body, format: "prose" }];
  if (kind === "text/part-handler")
    return [{ ...text, text: body.replace(/^#part-handler[^\n]*\n?/, ""), format: "script" }];
  if (kind === "text/cloud-boothook") {
    const script = body.replace(/^#cloud-boothook[^\n]*\n?/, "");
    return [script.startsWith("#!") ? { ...text, text: script } : { ...text, text: script, format: "shell" }];
  }
  if (kind.startsWith("text/x-shellscript") && !body.startsWith("#!"))
    return [{ ...text, text: body, format: "shell" }];
  return [{ ...text, text: body }];
}

function byFirstLine(body: string): string {
  const first = /^[^\r\n]*/.exec(body)?.[0] ?? "";
  if (first.startsWith("#!")) return "text/x-shellscript";
  if (/^#include-once\b/.test(first)) return "text/x-include-once-url";
  const word = /^#(cloud-config-archive|cloud-config|cloud-boothook|include|part-handler)\b/.exec(first)?.[1];
  if (word === "include") return "text/x-include-url";
  return word === undefined ? "" : `text/${word}`;
}

function message(text: Text, depth: number): readonly Text[] {
  const lineEnds = text.text.replaceAll("\r\n", "\n");
  const end = lineEnds.indexOf("\n\n");
  const headers = (end < 0 ? lineEnds : lineEnds.slice(0, end)).replace(/\n[ \t]+/g, " ");
  const body = end < 0 ? "" : lineEnds.slice(end + 2);
  const header = (name: string): string =>
    headers
      .split("\n")
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? "";
  const type = header("content-type");
  const kind = (/^[^;\s]*/.exec(type)?.[0] ?? "").toLowerCase();
  if (kind.startsWith("multipart/")) {
    const boundary = parameter(type, "boundary");
    if (boundary === undefined) return [{ ...text, text: body }];
    return parts(body, boundary).flatMap((part, index) =>
      message({ ...text, text: part, at: `${text.at} › part ${index + 1}` }, depth + 1),
    );
  }
  const name = parameter(header("content-disposition"), "filename");
  const content = transferred(body, header("content-transfer-encoding").toLowerCase());
  const inner: Text = { ...text, text: content, at: name === undefined ? text.at : `${text.at} (${name})` };
  const open =
    kind === "" ||
    kind === "text/plain" ||
    kind === "text/x-not-multipart" ||
    kind === "application/octet-stream";
  return depth > DEEPEST_MIME ? [inner] : split(inner, open ? "" : kind, depth + 1);
}

/** The parts between the lines `--boundary`, the last of which is `--boundary--`. A part may lack its headers. */
function parts(body: string, boundary: string): string[] {
  const found: string[][] = [];
  for (const line of body.split("\n")) {
    const bare = line.trimEnd();
    if (bare === `--${boundary}--`) break;
    if (bare === `--${boundary}`) found.push([]);
    else found.at(-1)?.push(line);
  }
  return found.map((lines) => (lines[0] === "" ? `\n${lines.join("\n")}` : lines.join("\n")));
}

function parameter(header: string, name: string): string | undefined {
  for (const piece of header.split(";").slice(1)) {
    const equals = piece.indexOf("=");
    if (equals < 0 || piece.slice(0, equals).trim().toLowerCase() !== name) continue;
    const value = piece.slice(equals + 1).trim();
    return value.startsWith('"') ? value.slice(1).replace(/"$/, "") : value;
  }
  return undefined;
}

function transferred(body: string, encoding: string): string {
  if (encoding === "base64") return decoded(body, "base64");
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replace(/=[ \t]*\n/g, "")
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
