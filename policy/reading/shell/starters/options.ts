/** How a program reads the words before those that matter. */
export interface OptionStyle {
  /** Letters of the short options that take a value: `-u root`, `-uroot`. */
  readonly short?: string;
  /** Long options that take the next word as their value when there is no `=`. */
  readonly long?: string;
  /** A lone `-` is an option. */
  readonly dash?: boolean;
}

export interface Options {
  /** By name as written, `-u` or `--user`; the value is empty for a flag. */
  readonly given: ReadonlyArray<readonly [name: string, value: string]>;
  /** Index of the first word that is no option. */
  readonly next: number;
}

/** Reads options from `from` on, as getopt does without permuting: the first other word ends them. */
export function readOptions(words: readonly string[], from: number, style: OptionStyle): Options {
  const given: [string, string][] = [];
  const long = style.long === undefined ? [] : style.long.split(" ");
  let next = from;
  for (; next < words.length; next += 1) {
    const word = words[next] ?? "";
    if (word === "--") return { given, next: next + 1 };
    if (!word.startsWith("-") || (word === "-" && !style.dash)) break;
    if (word.startsWith("--")) {
      const equals = word.indexOf("=");
      const name = equals < 0 ? word : word.slice(0, equals);
      if (equals >= 0) given.push([name, word.slice(equals + 1)]);
      else if (takesValue(name, long)) {
        next += 1;
        given.push([name, words[next] ?? ""]);
      } else given.push([name, ""]);
      continue;
    }
    for (let at = 1; at < word.length; at += 1) {
      const letter = word.charAt(at);
      if (!style.short?.includes(letter)) {
        given.push([`-${letter}`, ""]);
        continue;
      }
      const attached = word.slice(at + 1);
      if (attached === "") next += 1;
      given.push([`-${letter}`, attached === "" ? (words[next] ?? "") : attached]);
      break;
    }
  }
  return { given, next: Math.min(next, words.length) };
}

/** Flags that would pass for the beginning of an option with a value: `--login` of sudo's `--login-class`. */
const FLAGS = new Set(["--login", "--detach", "--start"]);

/** getopt takes any beginning of a long option for the whole. */
const takesValue = (name: string, long: readonly string[]): boolean =>
  long.some(
    (each) =>
      each === name.slice(2) || (name.length > 3 && !FLAGS.has(name) && each.startsWith(name.slice(2))),
  );

/** Value of the last of these options. */
export const optionValue = (options: Options, ...names: readonly string[]): string | undefined =>
  options.given.findLast(([name]) => names.includes(name))?.[1];
