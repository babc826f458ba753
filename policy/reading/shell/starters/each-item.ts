import { HOLE } from "../unknown.ts";
import { type Options, optionValue, readOptions } from "./options.ts";
import type { Start, Starter } from "./starter.ts";

/** Commands that one `xargs`, `find` or `parallel` makes. */
const MOST = 16;

/** What `xargs` makes of its input; undefined, when that is not known. */
function itemsOf(input: string | undefined, options: Options, byLine: boolean): string[] | undefined {
  if (input === undefined || input.includes(HOLE)) return undefined;
  if (optionValue(options, "-0", "--null") !== undefined) return input.split("\0");
  const separator = optionValue(options, "-d", "--delimiter");
  if (separator !== undefined) return input.replace(/\n$/, "").split(separator === "\\n" ? "\n" : separator);
  return input.split(byLine ? "\n" : /\s+/).filter((item) => item !== "");
}

const xargs: Starter = ({ words, environment, input }) => {
  const options = readOptions(words, 1, {
    short: "IELsnPad",
    long: "arg-file delimiter max-args max-procs max-chars process-slot-var",
  });
  const given = words.slice(options.next);
  const program = given.length === 0 ? ["echo"] : given;
  const marker = optionValue(options, "-I") ?? optionValue(options, "-i", "--replace");
  const items = itemsOf(input, options, marker !== undefined) ?? [HOLE];
  if (marker === undefined) {
    const unquoted = items.map((item) => item.replace(/^(["'])(.*)\1$/, "$2"));
    return { keep: false, starts: [{ environment, words: [...program, ...unquoted] }] };
  }
  const starts = items.slice(0, MOST).map((item) => ({
    environment,
    words: program.map((word) => word.replaceAll(marker || "{}", () => item)),
  }));
  return { keep: false, starts };
};

const find: Starter = ({ words, environment }) => {
  const starts: Start[] = [];
  for (let at = 0; at < words.length && starts.length < MOST; at += 1) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at] ?? "")) continue;
    const end = words.findIndex(
      (word, index) => index > at && (word === ";" || (word === "+" && words[index - 1] === "{}")),
    );
    const inside = words.slice(at + 1, end < 0 ? words.length : end);
    starts.push({ environment, words: inside.map((word) => word.replaceAll("{}", HOLE)) });
    at += inside.length;
  }
  return { keep: true, starts };
};

const parallel: Starter = ({ words, environment }) => {
  const { next } = readOptions(words, 1, {
    short: "jPSNnLIaC",
    long: "jobs sshlogin max-args arg-file colsep delay timeout joblog",
  });
  const mark = words.findIndex((word, index) => index >= next && /^:::\+?$/.test(word));
  const program = words.slice(next, mark < 0 ? words.length : mark);
  const items = mark < 0 ? [HOLE] : words.slice(mark + 1, mark + 1 + MOST);
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
