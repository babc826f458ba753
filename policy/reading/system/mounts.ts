import { baseName } from "../argv.ts";
import { type Command, type FileSystem, type Known, type Reader, UNKNOWN } from "../content.ts";
import { assigned, type UnitEntry, withSpecifiers } from "./systemd-syntax.ts";

/** Reads fstab(5): device, mount point, type, options; blanks and the like in a field are octal escapes. */
export const readFstab: Reader = (text) => ({
  fileSystems: text.text.split("\n").flatMap((line): readonly FileSystem[] => {
    const [device, mountPoint, type] = line
      .trim()
      .split(/[ \t]+/)
      .map(unescapedField);
    if (device === undefined || mountPoint === undefined || device.startsWith("#") || type === "swap")
      return [];
    return [fileSystem(`${text.at} › ${mountPoint}`, device, mountPoint, type)];
  }),
});

const unescapedField = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

/** A `.mount` unit or a drop-in of one. Where= must match the unit's name, so a drop-in without it has it by its path. */
export function fileSystemOfMountUnit(
  entries: readonly UnitEntry[],
  text: { readonly at: string; readonly path?: string | undefined },
): FileSystem {
  const last = (key: string): string | undefined => {
    const value = assigned(entries, "Mount", key).at(-1)?.value;
    return value === undefined ? undefined : withSpecifiers(value);
  };
  const name = /([^/]+)\.mount(?:\.d\/[^/]*)?$/.exec(text.path ?? "")?.[1];
  const where = last("Where") ?? (name === undefined ? UNKNOWN : unescapedPath(name));
  return fileSystem(`${text.at} › [Mount]`, last("What"), where, last("Type"));
}

/** What `systemd-escape --path` made of a path. */
function unescapedPath(name: string): string {
  const path = name
    .replaceAll("-", "/")
    .replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return path.startsWith("/") ? path : `/${path}`;
}

/** Options of mount(8) and systemd-mount(1) that take the next word. */
const VALUED: ReadonlySet<string> = new Set(
  (
    "-t --types --type -o --options -O --test-opts -T --fstab -L --label -U --uuid -N --namespace --source --target " +
    "--target-prefix --options-mode --options-source --map-users --map-groups -p --property --owner --description " +
    "-H --host -M --machine --timeout-idle-sec --automount-property"
  ).split(" "),
);

/**
 * What a command mounts: `mount`, `mount.nfs` and its like, `systemd-mount`, `sshfs`; and what `podman volume create`
 * puts a volume on, with the volume's name as mount point. Nothing for `mount -a` and for listing.
 */
export function mountsOf(command: Command): readonly FileSystem[] {
  const [program, ...words] = command.words;
  if (typeof program !== "string") return [];
  const name = baseName(program);
  if (/^(?:podman|podman-remote|docker|nerdctl)$/.test(name)) return createdVolume(words, command.at);
  const helper = /^mount\.(.+)$/.exec(name)?.[1];
  if (name === "sshfs") return mounted(words, "fuse.sshfs", command.at);
  if (helper === undefined && name !== "mount" && name !== "systemd-mount") return [];
  return mounted(words, helper, command.at);
}

function mounted(
  words: readonly Known<string>[],
  helper: string | undefined,
  at: string,
): readonly FileSystem[] {
  const operands: Known<string>[] = [];
  let type: Known<string> | undefined = helper;
  let options = "";
  let source: Known<string> | undefined;
  let target: Known<string> | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (typeof word !== "string" || !word.startsWith("-") || word === "-") {
      if (word !== undefined) operands.push(word);
      continue;
    }
    const { option, value, taken } = mountOption(word, words[index + 1]);
    if (taken) index++;
    if (/^(?:-t|--types?|--fstype)$/.test(option)) type = value;
    else if (/^(?:-o|--options)$/.test(option) && typeof value === "string") options += `,${value}`;
    else if (/^(?:-L|--label)$/.test(option)) source = typeof value === "string" ? `LABEL=${value}` : UNKNOWN;
    else if (/^(?:-U|--uuid)$/.test(option)) source = typeof value === "string" ? `UUID=${value}` : UNKNOWN;
    else if (option === "--source") source = value;
    else if (option === "--target") target = value;
    else if (/^(?:-B|--r?bind|-R|-M|--move)$/.test(option)) type = "none";
  }
  if (/(?:^|,)r?bind(?:,|$)/.test(options)) type ??= "none";
  // Of words that only the shell knows, some may be options: the last two operands are device and mount point.
  const where = target ?? operands.pop();
  if (where === undefined) return [];
  return [fileSystem(at, source ?? operands.pop(), where, type)];
}

function mountOption(
  word: string,
  next: Known<string> | undefined,
): { readonly option: string; readonly value: Known<string>; readonly taken: boolean } {
  const equals = word.indexOf("=");
  if (word.startsWith("--")) {
    if (equals >= 0) return { option: word.slice(0, equals), value: word.slice(equals + 1), taken: false };
    return { option: word, value: next ?? UNKNOWN, taken: VALUED.has(word) };
  }
  // Letters may stand together; one that takes a value takes the rest, else the next word: `-vt nfs`, `-tnfs`.
  for (let letter = 1; letter < word.length; letter++) {
    const option = `-${word.charAt(letter)}`;
    if (!VALUED.has(option)) continue;
    const rest = word.slice(letter + 1);
    // `-M` moves in mount(8) and takes a machine in systemd-mount(1); alone it moves.
    if (option === "-M") return { option, value: "", taken: false };
    return rest === ""
      ? { option, value: next ?? UNKNOWN, taken: true }
      : { option, value: rest, taken: false };
  }
  return { option: word, value: "", taken: false };
}

function createdVolume(words: readonly Known<string>[], at: string): readonly FileSystem[] {
  const start = words.indexOf("volume");
  if (start < 0 || words[start + 1] !== "create") return [];
  const args = words.slice(start + 2);
  const name = args.at(-1);
  return name === undefined ? [] : volumeFileSystem(at, name, new Map(), args);
}

/**
 * A named volume of the local driver on a file system of its own, or of another driver; none for a plain volume.
 * @param said `type`, `device`, `driver` and `o`, where they are said
 * @param words arguments of `podman volume create` that may say them, too
 */
export function volumeFileSystem(
  at: string,
  name: Known<string>,
  said: ReadonlyMap<string, Known<string> | undefined>,
  words: readonly Known<string>[],
): readonly FileSystem[] {
  const all = new Map(said);
  words.forEach((word, index) => {
    if (typeof word !== "string") return;
    const [, option, joined] = /^(-o|--opt|-d|--driver)(?:=?(.*))$/.exec(word) ?? [];
    if (option === undefined) return;
    const value = joined === undefined || joined === "" ? words[index + 1] : joined;
    if (typeof value !== "string") return;
    if (option === "-d" || option === "--driver") all.set("driver", value);
    const equals = value.indexOf("=");
    if (equals > 0 && !option.includes("d")) all.set(value.slice(0, equals), value.slice(equals + 1));
  });
  const driver = all.get("driver");
  const device = all.get("device");
  const options = all.get("o");
  const bound = typeof options === "string" && /(?:^|,)r?bind(?:,|$)/.test(options) ? "none" : undefined;
  const type = all.get("type") ?? bound ?? (driver === "local" ? undefined : driver);
  return type === undefined && device === undefined ? [] : [fileSystem(at, device, name, type)];
}

/** Without a type, mount(8) takes `host:/path` for NFS and `//host/share` for CIFS. */
function fileSystem(
  at: string,
  device: Known<string> | undefined,
  mountPoint: Known<string>,
  said: Known<string> | undefined,
): FileSystem {
  const type = said === "" || said === "auto" ? undefined : said;
  const guessed =
    type !== undefined || typeof device !== "string"
      ? type
      : device.startsWith("//")
        ? "cifs"
        : /^[^/=]+:\//.test(device)
          ? "nfs"
          : undefined;
  return {
    at,
    mountPoint,
    ...(guessed === undefined ? {} : { type: guessed }),
    ...(device === undefined ? {} : { device }),
  };
}
