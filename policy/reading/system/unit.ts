import { baseName } from "../argv.ts";
import { readQuadlet } from "../containers/quadlet.ts";
import {
  type Command,
  type FileSystem,
  type Known,
  type Reader,
  type Setting,
  type Text,
  UNKNOWN,
} from "../content.ts";
import { fileSystemOfMountUnit } from "./mounts.ts";
import {
  assigned,
  environmentWords,
  expandedWord,
  isTemplate,
  systemdWords,
  type UnitEntry,
  unitEntries,
  type Variables,
  type Word,
  withSpecifiers,
} from "./systemd-syntax.ts";

/** Sections that systemd or Quadlet read. Text without any of them is somebody else's INI: settings, and no more. */
const SECTIONS: ReadonlySet<string> = new Set(
  (
    "Unit Install Service Socket Mount Automount Swap Timer Path Slice Scope " +
    "Container Pod Kube Volume Network Image Build Artifact Quadlet"
  ).split(" "),
);
/** `[Network]` is left out: systemd-networkd has one too. */
const QUADLET_SECTION = /^[ \t]*\[(?:Container|Pod|Kube|Volume|Image|Build|Artifact)\][ \t]*\r?$/m;
const QUADLET_PATH = /(?:^|[./])(?:container|pod|kube|volume|image|build|artifact)(?:\.d\/[^/]*\.conf)?$/;
const EXEC_SECTIONS: readonly string[] = ["Service", "Socket", "Mount", "Swap"];
/** Not `ExecSearchPath=` and `ExecPaths=`, which are no commands. */
const EXEC_KEY = /^Exec(?:Condition|Start|StartPre|StartPost|Reload|ReloadPost|Stop|StopPre|StopPost)$/;

/**
 * Reads a systemd unit, a Quadlet unit, a drop-in of either, or another text like INI. Repeated keys all show as
 * settings, also those which a later empty assignment takes back; commands, launches and file systems are only those
 * in force. `Environment=` shows as it stands and, below that, variable by variable.
 */
export const readUnit: Reader = (text) => {
  const quadlet =
    QUADLET_SECTION.test(text.text) || (text.path !== undefined && QUADLET_PATH.test(text.path));
  const entries = unitEntries(text.text, quadlet ? "" : " ");
  const containers = readQuadlet(entries, text);
  return {
    settings: entries.flatMap((entry) => settingsOf(entry, text)),
    commands: EXEC_SECTIONS.flatMap((section) => commandsOf(section, entries, text)),
    launches: containers.launches,
    fileSystems: [...mountsOf(entries, text), ...containers.fileSystems],
  };
};

function settingsOf({ section, key, value }: UnitEntry, text: Text): readonly Setting[] {
  const at = `${text.at} › ${key}`;
  const path = section === "" ? [key] : [section, key];
  if (!SECTIONS.has(section)) return [{ at, path, value }];
  const whole: Setting = { at, path, value: withSpecifiers(value) };
  if (key !== "Environment") return [whole];
  return [
    whole,
    ...environmentWords([value]).map(([name, word]): Setting => ({ at, path: [...path, name], value: word })),
  ];
}

function mountsOf(entries: readonly UnitEntry[], text: Text): readonly FileSystem[] {
  return entries.some(({ section }) => section === "Mount") ? [fileSystemOfMountUnit(entries, text)] : [];
}

function commandsOf(section: string, entries: readonly UnitEntry[], text: Text): readonly Command[] {
  const mine = entries.filter((entry) => entry.section === section);
  const keys = new Set(mine.map(({ key }) => key).filter((key) => EXEC_KEY.test(key)));
  if (keys.size === 0) return [];
  const variables: Variables = new Map(
    environmentWords(assigned(mine, section, "Environment").map(({ value }) => value)),
  );
  const environment = Object.fromEntries(variables);
  return [...keys].flatMap((key) =>
    assigned(mine, section, key).flatMap(({ value }) =>
      commandLines(value, variables).map(
        (words): Command => ({ at: `${text.at} › ${key}`, words, environment }),
      ),
    ),
  );
}

/** The commands of one `Exec…=` (systemd.service(5), "Command lines"). */
function commandLines(value: string, variables: Variables): readonly Command["words"][] {
  const lines: Word[][] = [[]];
  for (const word of systemdWords(value)) {
    if (word.raw === ";") lines.push([]);
    else lines.at(-1)?.push(word.raw === "\\;" ? { text: ";", raw: word.raw } : word);
  }
  return lines.flatMap((line) => {
    const [first, ...others] = line;
    if (first === undefined) return [];
    const prefixes = /^[@:+!|-]*/.exec(first.text)?.[0] ?? "";
    // systemd takes no variable for the program itself.
    const program: Known<string> = specified(first.text.slice(prefixes.length));
    if (program === "") return [];
    const rest = others.flatMap(({ text }): readonly Known<string>[] =>
      prefixes.includes(":") ? [specified(text)] : expandedWord(text, variables),
    );
    if (!prefixes.includes("@")) return [[program, ...rest]];
    // After `@` comes the name that the program sees itself called by; one that serves many names goes by it.
    const [name, ...args] = rest;
    return typeof name !== "string" || (program !== UNKNOWN && baseName(name) === baseName(program))
      ? [[program, ...args]]
      : [
          [program, ...args],
          [name, ...args],
        ];
  });
}

const specified = (text: string): Known<string> => (isTemplate(text) ? UNKNOWN : withSpecifiers(text));
