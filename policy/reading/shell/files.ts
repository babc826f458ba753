import type { Redirection } from "unbash";
import { baseName } from "../argv.ts";
import type { Command, Text } from "../content.ts";
import type { Reading } from "./expansion/reading.ts";
import { expandText } from "./expansion/words.ts";
import { takesOutput } from "./redirections.ts";
import { HOLE, holed, spelled } from "./unknown.ts";

const SHELL = /^(sh|bash|dash|ash|zsh|ksh|mksh|\.|source)$/;
const DEVICE = /^\/dev\/|^\/proc\//;

/** The files that a script writes, put together from all that it writes to each. */
export class Files {
  private readonly written: { at: string; path: string; text: string }[] = [];
  private readonly latest = new Map<string, number>();

  /** What is printed into files by `>` and `>>`. */
  redirect(
    at: string,
    redirects: readonly Redirection[],
    output: string | undefined,
    reading: Reading,
  ): void {
    if (output === undefined) return;
    for (const redirect of redirects) {
      if (redirect.type !== "Redirect" || redirect.target === undefined || !takesOutput(redirect)) continue;
      this.write(at, expandText(redirect.target, reading), output, redirect.operator.includes(">>"));
    }
  }

  /** What a command that writes its input to files makes of it. */
  copy(at: string, command: Command | undefined, input: string | undefined): void {
    if (command === undefined || input === undefined) return;
    for (const { path, append } of writtenFiles(command.words.map(holed)))
      this.write(at, path, input, append);
  }

  private write(at: string, path: string, text: string, append: boolean): void {
    if (DEVICE.test(path) || text === HOLE) return;
    const before = append && path !== HOLE ? this.latest.get(path) : undefined;
    const file = before === undefined ? undefined : this.written[before];
    if (file !== undefined) {
      file.text += text;
      return;
    }
    this.latest.set(path, this.written.length);
    this.written.push({ at, path, text });
  }

  /** As texts. A file that one of these commands gives to a shell is a shell's, whatever it is called. */
  texts(commands: readonly Command[]): readonly Text[] {
    if (this.written.length === 0) return [];
    const run = new Set<unknown>();
    for (const { words } of commands) {
      const [program] = words;
      if (typeof program !== "string") continue;
      run.add(program);
      if (!SHELL.test(baseName(program))) continue;
      run.add(words.find((word, index) => index > 0 && typeof word === "string" && !word.startsWith("-")));
    }
    return this.written.map(({ at, path, text }) => {
      const place = path === HOLE ? at : `${at} › ${spelled(path)}`;
      const shell = run.has(path) && !text.startsWith("#!");
      return {
        at: place,
        text: spelled(text),
        ...(path === HOLE ? {} : { path: spelled(path) }),
        ...(shell ? { format: "shell" as const } : {}),
      };
    });
  }
}

/** A file that a command writes its input to: `tee`, `install … /dev/stdin`, `dd of=`. */
function writtenFiles(words: readonly string[]): readonly { path: string; append: boolean }[] {
  const operands = words.slice(1).filter((word) => !word.startsWith("-"));
  switch (baseName(words[0] ?? "")) {
    case "tee": {
      const append = words.some((word) => /^-[a-z]*a|^--append$/.test(word));
      return operands.map((path) => ({ path, append }));
    }
    case "sponge":
      return operands.map((path) => ({ path, append: words.includes("-a") }));
    case "install":
    case "cp":
      return operands.includes("/dev/stdin")
        ? operands.slice(-1).map((path) => ({ path, append: false }))
        : [];
    case "dd":
      return operands.flatMap((word) =>
        word.startsWith("of=") ? [{ path: word.slice(3), append: false }] : [],
      );
    default:
      return [];
  }
}
