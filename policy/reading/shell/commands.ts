import { baseName } from "../argv.ts";
import type { Command, Text } from "../content.ts";
import { preamble } from "./preamble.ts";
import type { Run, Start } from "./starters/starter.ts";
import { starterOf } from "./starters/starters.ts";
import { HOLE, holed, known, spelled } from "./unknown.ts";

/** Wrappers in wrappers; what lies deeper stays as it is. */
const DEEPEST = 24;

/** What a variable stands for where a command is started, undefined when nobody knows. */
type Variable = (name: string) => string | undefined;

/**
 * What a command starts once its wrappers (`sudo`, `env`, `timeout`, `xargs`, `podman exec`, …) are taken off, and the
 * texts that a shell or another language will run (`sh -c`, `ssh host`, `python3 -c`). Where a wrapper's program is
 * unknown, so is the first word. `ssh`, `podman`, `systemd-run` and the like stay beside what they start.
 */
export function unwrapped(
  { at, words, environment, input }: Command,
  variable: Variable = () => undefined,
): { readonly commands: readonly Command[]; readonly texts: readonly Text[] } {
  const commands: Command[] = [];
  const texts: Text[] = [];
  let level: readonly Start[] = [
    { words: words.map(holed), environment, ...(input === undefined ? {} : { input: holed(input) }) },
  ];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: Start[] = [];
    for (const start of level) {
      const program = baseName(start.words[0] ?? "");
      const found = depth < DEEPEST ? starterOf(program)?.(start) : undefined;
      if (start.words.length > 0 && (found === undefined || found.keep)) commands.push(commandOf(start, at));
      next.push(...(found?.starts ?? []));
      for (const run of found?.texts ?? []) {
        if (run.text !== HOLE && run.text !== "")
          texts.push(textOf(run, `${at} › ${program}`, start, variable));
      }
    }
    level = next;
  }
  return { commands, texts };
}

const commandOf = ({ words, environment, input }: Start, at: string): Command => ({
  at,
  words: words.map(known),
  environment,
  ...(input === undefined ? {} : { input: known(input) }),
});

function textOf(
  { text, format, path, remote, parameters }: Run,
  at: string,
  start: Start,
  variable: Variable,
): Text {
  if (path !== undefined) return { at, text: spelled(text), path };
  if (format !== undefined) return { at, text: spelled(text), format };
  const here = (name: string): string | undefined => {
    const own = Object.hasOwn(start.environment, name) ? start.environment[name] : undefined;
    return own === undefined ? variable(name) : holed(own);
  };
  return { at, text: preamble(text, remote ? () => undefined : here, parameters) + text, format: "shell" };
}
