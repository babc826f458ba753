import { baseName } from "../argv.ts";
import { unwrapped } from "./commands.ts";
import { INPUT_MARK } from "./unknown.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** Escapes of `printf` and `echo -e`: `\n`, `\x66`, `\146`, `\0146`. */
function decoded(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|(0?[0-7]{1,3})|([abefnrtv\\"']))/g,
    (_all, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
      return ESCAPES[letter ?? ""] ?? "";
    },
  );
}

function echo(words: readonly string[]): string {
  let first = 0;
  let newline = true;
  let escapes = false;
  for (const word of words) {
    if (!/^-[neE]+$/.test(word)) break;
    first += 1;
    if (word.includes("n")) newline = false;
    if (word.includes("e")) escapes = true;
  }
  const text = words.slice(first).join(" ");
  return (escapes ? decoded(text) : text) + (newline ? "\n" : "");
}

/** The format is used again until all arguments are. Undefined for conversions other than of text. */
function printf(words: readonly string[]): string | undefined {
  const [format, ...given] = words[0] === "--" ? words.slice(1) : words;
  if (format === undefined || format === "-v") return undefined;
  let text = "";
  let next = 0;
  let strange = false;
  do {
    const start = next;
    text += decoded(format).replace(/%(?:%|([-0-9.]*)(.))/g, (all, width?: string, conversion?: string) => {
      if (all === "%%") return "%";
      const word = given[next] ?? "";
      next += 1;
      if (width !== "" || !/[sbcdiq]/.test(conversion ?? "")) strange = true;
      return conversion === "b" ? decoded(word) : conversion === "c" ? word.slice(0, 1) : word;
    });
    if (next === start) break;
  } while (next < given.length && !strange);
  return strange ? undefined : text;
}

/** What they print is what they read, in part or changed. */
const FILTERS =
  /^(grep|egrep|fgrep|sed|awk|gawk|mawk|tr|head|tail|sort|uniq|cut|tac|pv|envsubst|iconv|dos2unix|fold|fmt|expand|sponge|nl|jq|yq|gunzip|zcat|xzcat|bzcat|zstdcat|gzip|xz|zstd|bzip2|gpg|age|sops)$/;

/**
 * What a command prints when its words and input decide that: `echo`, `printf`, `cat`, `tee`, `base64 -d`,
 * `xxd -r -p`, `rev`, `command -v`, each in wrappers or without. Undefined: something else decides.
 */
export function programOutput(words: readonly string[], input: () => string | undefined): string | undefined {
  const [program = "", ...rest] = innermost(words);
  switch (baseName(program)) {
    case "echo":
      return echo(rest);
    case "printf":
      return printf(rest);
    case "cat":
      return rest.every((word) => word.startsWith("-") || word === "/dev/stdin") ? input() : undefined;
    case "tee":
      return input();
    case "true":
    case ":":
      return "";
    case "rev":
      return rest.length > 0
        ? undefined
        : input()?.replace(/[^\n]+/g, (line) => [...line].reverse().join(""));
    case "base64":
      return isDecoding(rest) ? bytes(input(), "base64") : undefined;
    case "openssl":
      return rest.includes("-d") && rest.some((word) => /^-?(base64|a)$/.test(word))
        ? bytes(input(), "base64")
        : filtered(input);
    case "xxd": {
      const flags = rest.join("");
      const plain = /^[-rp]+$/.test(flags) && flags.includes("r") && flags.includes("p");
      return plain ? bytes(input()?.replace(/\s/g, ""), "hex") : undefined;
    }
    case "command":
      return rest.length === 2 && /^-[vV]$/.test(rest[0] ?? "") ? `${rest[1]}\n` : undefined;
    case "type":
      return rest.length === 2 && /^-[pP]$/.test(rest[0] ?? "") ? `${rest[1]}\n` : undefined;
    case "which":
      return rest.length === 1 ? `${rest[0]}\n` : undefined;
    default:
      return FILTERS.test(baseName(program)) ? filtered(input) : undefined;
  }
}

/** Of the mark, only where it goes is asked. */
const filtered = (input: () => string | undefined): string | undefined =>
  input()?.trim() === INPUT_MARK ? INPUT_MARK : undefined;

/** Words of the program that its wrappers start in the end; the unknown in them stays beside the known. */
function innermost(words: readonly string[]): readonly string[] {
  const length = unwrapped({ at: "", words, environment: {} }).commands.at(-1)?.words.length ?? 0;
  return words.slice(words.length - length);
}

/** `base64 -d` of its input: no word is a file. getopt takes any beginning of `--decode`. */
const isDecoding = (words: readonly string[]): boolean =>
  words.every((word) => word.startsWith("-")) &&
  words.some((word) => /^(-d|-D|-di|-id|--d(e(c(o(de?)?)?)?)?)$/.test(word));

const bytes = (text: string | undefined, encoding: "base64" | "hex"): string | undefined =>
  text === undefined ? undefined : Buffer.from(text, encoding).toString("utf8");
