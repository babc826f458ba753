import { HOLE } from "../unknown.ts";
import { type Options, optionValue, readOptions } from "./options.ts";
import type { Start, Starter } from "./starter.ts";

/** Commands that one `xargs`, `find` or `parallel` makes. */
const MOST = 16;
/** Items that are told apart in an input. */
const ITEMS_MOST = 2000;

/** As many as are told apart; the unknown stands for the rest. */
const limited = (items: readonly string[], most = MOST): readonly string[] =>
  items.length > most ? [...items.slice(0, most), HOLE] : items;

/** The pieces of an input; where it is not known, one unknown. */
function pieces(input: string | undefined, separator: string | RegExp): readonly string[] {
  if (input === undefined || input.includes(HOLE)) return [HOLE];
  return limited(input.split(separator, ITEMS_MOST + 1), ITEMS_MOST).filter((item) => item.trim() !== "");
}

/** What `xargs` makes of its input. */
function itemsOf(input: string | undefined, options: Options, byLine: boolean): readonly string[] {
  if (optionValue(options, "-0", "--null") !== undefined) return pieces(input, "\0");
  const separator = optionValue(options, "-d", "--delimiter");
  if (separator !== undefined)
    return pieces(input?.replace(/\n$/, ""), separator === "\\n" ? "\n" : separator);
  return pieces(input, byLine ? "\n" : /\s+/);
}

const unquoted = (items: readonly string[]): string[] =>
  items.map((item) => item.replace(/^(["'])(.*)\1$/, "$2"));

/** Items in the groups that one command each is made of: `-L1`, `-n 2`, else all in one. */
function groups(items: readonly string[], options: Options, byLine: boolean): readonly (readonly string[])[] {
  if (byLine) return limited(items).map((line) => line.trim().split(/\s+/));
  const size = Number(optionValue(options, "-n", "--max-args"));
  if (!(size >= 1) || items.length <= size) return [items];
  const found: (readonly string[])[] = [];
  for (let at = 0; at < items.length && found.length < MOST; at += size)
    found.push(items.slice(at, at + size));
  return items.length > MOST * size ? [...found, [HOLE]] : found;
}

const xargs: Starter = ({ words, environment, input }) => {
  const options = readOptions(words, 1, {
    short: "IELsnPad",
    long: "arg-file delimiter max-args max-procs max-chars max-lines process-slot-var",
  });
  const given = words.slice(options.next);
  const program = given.length === 0 ? ["echo"] : given;
  const marker = optionValue(options, "-I") ?? optionValue(options, "-i", "--replace");
  const byLine = optionValue(options, "-L", "--max-lines", "-l") !== undefined;
  const items = itemsOf(input, options, byLine || marker !== undefined);
  const lines =
    marker === undefined
      ? groups(items, options, byLine).map((group) => [...program, ...unquoted(group)])
      : limited(items).map((item) => program.map((word) => word.replaceAll(marker || "{}", () => item)));
  return { keep: false, starts: lines.map((line) => ({ environment, words: line })) };
};

const find: Starter = ({ words, environment }) => {
  const starts: Start[] = [];
  for (let at = 0; at < words.length; at += 1) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at] ?? "")) continue;
    if (starts.length === MOST) {
      starts.push({ environment, words: [HOLE] });
      break;
    }
    const end = words.findIndex(
      (word, index) => index > at && (word === ";" || (word === "+" && words[index - 1] === "{}")),
    );
    const inside = words.slice(at + 1, end < 0 ? words.length : end);
    starts.push({ environment, words: inside.map((word) => word.replaceAll("{}", HOLE)) });
    at += inside.length;
  }
  return { keep: true, starts };
};

const parallel: Starter = ({ words, environment, input }) => {
  const { next } = readOptions(words, 1, {
    short: "jPSNnLIaC",
    long: "jobs sshlogin max-args arg-file colsep delay timeout joblog",
  });
  const mark = words.findIndex((word, index) => index >= next && /^:::\+?$/.test(word));
  const program = words.slice(next, mark < 0 ? words.length : mark);
  const items = limited(mark < 0 ? pieces(input, "\n") : words.slice(mark + 1));
  if (program.length === 0) return { keep: true, texts: items.map((text) => ({ text })) };
  const marked = program.some((word) => word.includes("{}"));
  const lines = items.map((item) =>
    marked ? program.map((word) => word.replaceAll("{}", () => item)) : [...program, item],
  );
  return {
    keep: true,
    starts: lines.map((line) => ({ environment, words: line })),
    // GNU parallel hands each line to a shell: a program of one word may be a whole script.
    texts: lines.filter((line) => line.length < 3).map((line) => ({ text: line.join(" ") })),
  };
};

/** Programs that start another one for each of many items. */
export const EACH_ITEM: Readonly<Record<string, Starter>> = { xargs, find, fd: find, parallel };
