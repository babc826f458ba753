import type { Known } from "../../content.ts";
import { known } from "../unknown.ts";
import { optionValue, readOptions } from "./options.ts";
import { runs, type Starter, startsWords } from "./starter.ts";

/** `env -S` may lead to `env -S`. */
const SPLITS_MOST = 8;

/** `env -S`: blanks separate, quotes and backslashes hold together. */
function splitString(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g)) {
    words.push(
      match[0]
        .replace(/\\_/g, " ")
        .replace(/"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g, (_all, double, single, bare) =>
          double === undefined ? (single ?? bare) : String(double).replace(/\\(["\\$])/g, "$1"),
        ),
    );
  }
  return words;
}

const env: Starter = (start) => {
  let words = start.words;
  for (let again = 0; again < SPLITS_MOST; again += 1) {
    const { given, next } = readOptions(words, 1, {
      short: "uCSa",
      long: "unset chdir split-string argv0",
      dash: true,
    });
    const split = given.find(([name]) => name === "-S" || name === "--split-string");
    words = words.slice(next);
    if (split === undefined) break;
    // What follows `-S` may hold options of its own.
    words = ["env", ...splitString(split[1]), ...words];
  }
  const environment: Record<string, Known<string>> = { ...start.environment };
  for (const [index, word] of words.entries()) {
    // Any name will do for env(1), a shell's identifier or not.
    const match = /^([^=\s]+)=/.exec(word);
    if (match === null) return startsWords({ ...start, environment }, words.slice(index));
    environment[match[1] ?? ""] = known(word.slice(match[0].length));
  }
  return undefined;
};

const command: Starter = (start) => {
  const { given, next } = readOptions(start.words, 1, {});
  // `command -v x` looks for x and starts nothing.
  return given.some(([name]) => /^-[vV]$/.test(name))
    ? undefined
    : startsWords(start, start.words.slice(next));
};

const applet: Starter = (start) =>
  start.words.length > 1 ? startsWords(start, start.words.slice(1)) : undefined;

/** `flock FILE program …`, `flock FILE -c text`. */
const flock: Starter = (start) => {
  const { words } = start;
  const options = readOptions(words, 1, {
    short: "wEc",
    long: "timeout wait conflict-exit-code command",
  });
  const early = optionValue(options, "-c", "--command");
  if (early !== undefined) return runs(early);
  let next = options.next + 1;
  if (/^(-c|--command)$/.test(words[next] ?? "")) return runs(words[next + 1] ?? "");
  if (words[next] === "--") next += 1;
  return words.length > next ? startsWords(start, words.slice(next)) : undefined;
};

const watch: Starter = (start) => {
  const options = readOptions(start.words, 1, { short: "nqs", long: "interval equexit shotsdir" });
  const words = start.words.slice(options.next);
  return optionValue(options, "-x", "--exec") === undefined
    ? runs(words.join(" "))
    : startsWords(start, words, true);
};

const startStopDaemon: Starter = (start) => {
  const { words } = start;
  const options = readOptions(words, 1, {
    short: "xapucngdrRNIPk",
    long: "exec startas pidfile user name chuid group chdir chroot retry nicelevel procsched iosched umask signal",
  });
  const program = optionValue(options, "-a", "--startas") ?? optionValue(options, "-x", "--exec");
  return program === undefined
    ? undefined
    : startsWords(start, [program, ...words.slice(options.next)], true);
};

/** The dynamic loader, called as a program: ld.so(8). */
export const loader: Starter = (start) => {
  const { next } = readOptions(start.words, 1, {
    long: "library-path preload audit argv0 inhibit-rpath glibc-hwcaps-prepend",
  });
  return start.words.length > next ? startsWords(start, start.words.slice(next)) : undefined;
};

/** Wrappers whose words need more than a list of options to be read. */
export const SPECIAL_WRAPPERS: Readonly<Record<string, Starter>> = {
  env,
  command,
  busybox: applet,
  toybox: applet,
  flock,
  watch,
  "start-stop-daemon": startStopDaemon,
};
