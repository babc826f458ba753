import { baseName } from "./argv.ts";
import type { Command, Text } from "./content.ts";
import { UNKNOWN } from "./content.ts";
import { formatOf } from "./format.ts";
import { keyOf, Memo } from "./memo.ts";

type Use = Pick<Text, "format" | "path">;

/** What command lines do with what they read. */
export interface InputUses {
  /** The input as a whole is a program, or a file. */
  readonly uses: readonly Use[];
  /** It is decoded, split or put together with other text: what comes of it, only the input itself shows. */
  readonly changed: boolean;
}

/** `create` and `update` are mostly the same, and the commands of one guest those of the next. */
const known = new Memo<Promise<InputUses>>();

/**
 * What a command does with its standard input. The command is read with a mark as its input; where the mark is found
 * again, the input goes: to a shell or another language, into a file, into words of a command.
 */
export const inputUses = (command: Command): Promise<InputUses> =>
  known.of(keyOf([command.words, command.environment]), () => foundUses(command));

async function foundUses(command: Command): Promise<InputUses> {
  const { INPUT_MARK } = await import("./shell/unknown.ts");
  const { contentOf } = await import("./read.ts");
  const { texts, commands } = await contentOf({ commands: [{ ...command, input: INPUT_MARK }] });
  const { programOutput } = await import("./shell/program-output.ts");
  const { starterOf } = await import("./shell/starters/starters.ts");
  const uses: Use[] = [];
  let changed = false;
  for (const { text, format, path } of texts) {
    if (text.trim() === INPUT_MARK) uses.push({ format, path });
    else if (text.includes(INPUT_MARK) && !text.includes(`\n${INPUT_MARK}\nINPUT`)) changed = true;
  }
  for (const { words, input } of commands) {
    const marked = words.findIndex((word) => word !== UNKNOWN && word.includes(INPUT_MARK));
    // A line of it is a command: `while read line; do $line; done`, `xargs -L1 sudo`.
    if (marked === 0) uses.push({ format: "shell" });
    else if (marked > 0) changed = true;
    if (input === undefined || input === UNKNOWN || !input.includes(INPUT_MARK)) continue;
    if (words.includes("set-raw")) {
      uses.push({ format: "json" });
      continue;
    }
    const spelled = words.map((word) => (word === UNKNOWN ? "" : word));
    const output = programOutput(spelled, () => INPUT_MARK);
    changed ||= output?.includes(INPUT_MARK) === false;
    const program = baseName(spelled[0] ?? "");
    // A program of its own may read it as well: then it is what it looks like.
    if (output === undefined && starterOf(program) === undefined && !/^(install|cp|dd)$/.test(program))
      uses.push({});
  }
  return { uses: distinct(uses), changed };
}

/** One of each. A file that a shell runs is written once. */
function distinct(uses: readonly Use[]): readonly Use[] {
  const byKey = new Map(uses.map((use) => [JSON.stringify([use.format, use.path]), use]));
  return [...byKey.values()];
}

/** The text that a command reads, once for each use that it is put to. */
export function inputTexts(
  text: string,
  uses: readonly Use[],
  withVariables: (script: string) => string,
): Text[] {
  const at = "stdin";
  if (uses.length === 0) return [{ at, text }];
  const isPlain = ({ format, path }: Use): boolean => format === undefined && path === undefined;
  const looks = formatOf({ at, text });
  const told = uses.filter((use) => !isPlain(use));
  const alike = told.some((use) => formatOf({ at, text, ...use }) === looks);
  return (told.length > 0 && (alike || looks === "prose") ? told : uses).map(({ format, path }) => {
    // A file with a first line of its own is run by what that line says.
    const own = path !== undefined && text.startsWith("#!");
    return {
      at,
      text: format === "shell" ? withVariables(text) : text,
      path,
      format: own ? undefined : format,
    };
  });
}
