import type { Command, Known, Text } from "../content.ts";
import { KEPT, optionValue, readOptions, WRAPPERS } from "./options.ts";
import { preamble } from "./preamble.ts";
import { SPECIAL, type Start } from "./starters.ts";
import { baseName, HOLE, holed, known } from "./unknown.ts";

export interface Unwrapped {
  readonly commands: readonly Command[];
  readonly texts: readonly Text[];
}

/** Wrappers in wrappers; what lies deeper stays as it is. */
const DEEPEST = 24;

/**
 * What a command starts once its wrappers (`sudo`, `env`, `timeout`, `xargs`, `podman exec`, …) are taken off, and the
 * texts that a shell or another language will run (`sh -c`, `ssh host`, `python3 -c`). Where a wrapper's program is
 * unknown, so is the first word. `ssh`, `podman`, `systemd-run` and the like stay beside what they start.
 * `variable` gives what a variable stands for where the command is started, undefined when nobody knows.
 */
export function unwrapped(command: Command, variable?: (name: string) => string | undefined): Unwrapped {
  if (!isStarter(baseName(holed(command.words[0] ?? "")).replace(/^\\/, ""))) {
    return { commands: command.words.length === 0 ? [] : [shown(command)], texts: [] };
  }
  const commands: Command[] = [];
  const texts: Text[] = [];
  const input = command.input === undefined ? undefined : holed(command.input);
  const waiting: (Start & { readonly depth: number })[] = [
    {
      words: command.words.map(holed),
      environment: command.environment,
      ...(input === undefined ? {} : { input }),
      depth: 0,
    },
  ];
  const emit = ({ words, environment, input: read }: Start) => {
    if (words.length === 0) return;
    commands.push({
      at: command.at,
      words: words.map(known),
      environment,
      ...(read === undefined ? {} : { input: known(read) }),
    });
  };
  for (let start = waiting.shift(); start !== undefined; start = waiting.shift()) {
    const { depth, ...self } = start;
    const found = depth < DEEPEST ? startsOf(self) : undefined;
    if (found === undefined || found.keep) emit(self);
    for (const inner of found?.starts ?? []) waiting.push({ ...inner, depth: depth + 1 });
    for (const { text, format, remote, parameters, path } of found?.texts ?? []) {
      if (text === HOLE || text === "") continue;
      const at = `${command.at} › ${baseName(self.words[0] ?? "")}`;
      const local = (name: string) => {
        const own = self.environment[name];
        return own === undefined ? variable?.(name) : holed(own);
      };
      if (path !== undefined) texts.push({ at, text: text.replaceAll(HOLE, "$UNKNOWN"), path });
      else if (format === "script") texts.push({ at, text: text.replaceAll(HOLE, "$UNKNOWN"), format });
      else
        texts.push({
          at,
          text: preamble(text, remote ? undefined : local, parameters) + text,
          format: "shell",
        });
    }
  }
  return { commands, texts };
}

const isStarter = (program: string): boolean =>
  Object.hasOwn(SPECIAL, program) ||
  Object.hasOwn(WRAPPERS, program) ||
  specialByPattern(program) !== undefined;

function shown(command: Command): Command {
  const unknown = (word: Known<string>) => typeof word === "string" && word.includes(HOLE);
  if (!command.words.some(unknown) && !unknown(command.input ?? "")) return command;
  const words = command.words.map((word) => known(holed(word)));
  return {
    ...command,
    words,
    ...(command.input === undefined ? {} : { input: known(holed(command.input)) }),
  };
}

function startsOf(start: Start): ReturnType<NonNullable<(typeof SPECIAL)[string]>> {
  const program = baseName(start.words[0] ?? "").replace(/^\\/, "");
  const special = Object.hasOwn(SPECIAL, program) ? SPECIAL[program] : specialByPattern(program);
  if (special !== undefined) return special(start);
  const style = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (style === undefined) return undefined;
  const { words } = start;
  const options = readOptions(words, 1, style);
  const environment: Record<string, Known<string>> = { ...start.environment };
  if (program === "systemd-run") {
    for (const [name, value] of options.given) {
      if (name === "-E" || name === "--setenv") assign(value, environment);
    }
  }
  // `sudoedit` under another name: its words are files.
  if (program === "sudo" && optionValue(options, "-e", "--edit") !== undefined) return undefined;
  let next = options.next + (style.operands ?? 0);
  while (style.assignments && assign(words[next] ?? "", environment)) next += 1;
  if (words[next] === "--" && next > options.next) next += 1;
  const inner = words.slice(next);
  const keep = KEPT.has(program);
  if (inner.length > 0) return { keep, starts: [{ ...start, words: inner, environment }] };
  // Without a program they start a shell, which reads its input.
  return start.input === undefined ? undefined : { keep: true, texts: [{ text: start.input }] };
}

function specialByPattern(program: string): (typeof SPECIAL)[string] | undefined {
  if (/^(ld-linux|ld-musl|ld64|ld)[-.\w]*\.so/.test(program)) return SPECIAL["ld.so"];
  if (/^(python|perl|ruby|node|nodejs|php|lua)[0-9.]*$/.test(program)) return SPECIAL["python"];
  return undefined;
}

function assign(word: string, environment: Record<string, Known<string>>): boolean {
  const match = /^([A-Za-z_]\w*)=/.exec(word);
  if (match === null) return false;
  environment[match[1] ?? ""] = known(word.slice(match[0].length));
  return true;
}

/** Name of the program without its directory, or `UNKNOWN`; of a command without words, the empty string. */
export function programOf(command: Pick<Command, "words">): Known<string> {
  const program = command.words[0] ?? "";
  return typeof program === "string" ? baseName(program) : program;
}
