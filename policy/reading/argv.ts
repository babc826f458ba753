import type { Command, Known } from "./content.ts";
import { UNKNOWN } from "./content.ts";

/** Last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The program's name without its folder; undefined when only the running shell knows it. */
export function program({ words }: Command): string | undefined {
  const [first] = words;
  return typeof first === "string" ? baseName(first) : undefined;
}

/** The arguments that are no options. `withValue` are the options that take the next word. After `--` all are. */
export function positionals(
  words: readonly Known<string>[],
  // Stryker disable next-line ArrayDeclaration: no option is called like the word that it puts in
  withValue: readonly string[] = [],
): Known<string>[] {
  const found: Known<string>[] = [];
  for (let index = 0; ; index += 1) {
    const word = words[index];
    if (word === undefined) return found;
    if (word === "--") return [...found, ...words.slice(index + 1)];
    if (word === UNKNOWN || !word.startsWith("-") || word === "-") found.push(word);
    else if (withValue.includes(word)) index += 1;
  }
}

/** The value of an option in `--name value` or `--name=value`; undefined when it is not given. */
export function option(
  words: readonly Known<string>[],
  ...names: readonly string[]
): Known<string> | undefined {
  for (const [index, word] of words.entries()) {
    if (word === UNKNOWN) continue;
    const name = names.find((candidate) => word === candidate || word.startsWith(`${candidate}=`));
    if (name !== undefined) return word === name ? words[index + 1] : word.slice(name.length + 1);
  }
  return undefined;
}

/** A command as a person would type it, unknown words as `…`. */
export const typed = ({ words }: Pick<Command, "words">): string =>
  words
    .map((word) => (word === UNKNOWN ? "…" : /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
