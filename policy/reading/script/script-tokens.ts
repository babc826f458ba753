export interface ScriptToken {
  /** `run` is a text that the language itself gives to a shell: between backquotes. */
  readonly kind: "word" | "string" | "run" | "mark";
  readonly text: string;
  readonly line: number;
  /** False: a piece of the string is only known when the program runs. */
  readonly known: boolean;
}
export type Language = "python" | "javascript" | "perl" | "other";

/** By the first line, else by the end of the path. */
export function languageOf(text: string, path = ""): Language {
  const shebang = /^#![^\n]*/.exec(text)?.[0] ?? "";
  if (/python/.test(shebang)) return "python";
  if (/\b(node|deno|bun)\b/.test(shebang)) return "javascript";
  if (/\b(perl|ruby)\b/.test(shebang)) return "perl";
  if (/\.py$/.test(path)) return "python";
  if (/\.[cm]?[jt]s$/.test(path)) return "javascript";
  if (/\.(pl|pm|rb)$/.test(path)) return "perl";
  return /^(?:import|from|def) \w/m.test(text.slice(0, 10_000)) ? "python" : "other";
}

const WORD = /[$@%]?[A-Za-z_][\w]*(?:(?:\.|::|->)[A-Za-z_]\w*)*|\.[A-Za-z_]\w*/y;
const BLANKS = /[ \t\r]+/y;
const PREFIXED = /(?:[rbuf]|[rb][rb]|[rf][rf])(?=["'])/iy;
const LONGEST_PIECE = 500;
const PLAIN = /[^\\"'`{}$#\n]+/y;
const NUMBER = /\d[\w.]*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

/** Words, strings and marks of a program without its comments. A docstring is a string that nobody is given. */
export function scriptTokens(text: string, language: Language): ScriptToken[] {
  const tokens: ScriptToken[] = [];
  const hash = language !== "javascript";
  const slashes = language === "javascript" || language === "other";
  let line = 1;
  let place = 0;
  const count = (from: number, to: number): void => {
    // A search in the whole text would go to its end where there are no more lines.
    const part = text.slice(from, to);
    for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) line += 1;
  };
  const skipTo = (end: number): void => {
    const to = end < 0 ? text.length : end;
    count(place, to);
    place = to;
  };
  while (place < text.length) {
    BLANKS.lastIndex = place;
    if (BLANKS.test(text)) {
      place = BLANKS.lastIndex;
      continue;
    }
    const char = text.charAt(place);
    if (char === "\n") {
      line += 1;
      place += 1;
    } else if ((hash && char === "#") || (place === 0 && text.startsWith("#!")))
      skipTo(text.indexOf("\n", place));
    else if (slashes && text.startsWith("//", place)) skipTo(text.indexOf("\n", place));
    else if (slashes && text.startsWith("/*", place)) {
      const end = text.indexOf("*/", place + 2);
      skipTo(end < 0 ? -1 : end + 2);
    } else {
      PREFIXED.lastIndex = place;
      const prefix =
        language === "python" && PREFIXED.test(text) ? text.slice(place, PREFIXED.lastIndex) : "";
      const quote = text.charAt(place + prefix.length);
      if (quote === '"' || quote === "'" || quote === "`") {
        const string = stringAt(text, place + prefix.length, language, prefix.toLowerCase());
        const kind = quote === "`" && language !== "javascript" ? "run" : "string";
        tokens.push({ kind, text: string.text, line, known: string.known });
        count(place, string.end);
        place = string.end;
        continue;
      }
      WORD.lastIndex = place;
      NUMBER.lastIndex = place;
      const pattern = WORD.test(text) ? WORD : NUMBER.test(text) ? NUMBER : undefined;
      const two = text.slice(place, place + 2);
      const mark = two === "==" || two === "=>" || two === "!=" || two === "<=" || two === ">=" ? two : char;
      const end = pattern === undefined ? place + mark.length : pattern.lastIndex;
      const kind = pattern === undefined || pattern === NUMBER ? "mark" : "word";
      tokens.push({ kind, text: text.slice(place, end), line, known: true });
      place = end;
    }
  }
  return tokens;
}

interface ScriptString {
  readonly text: string;
  readonly known: boolean;
  readonly end: number;
}

function stringAt(text: string, start: number, language: Language, prefix: string): ScriptString {
  const quote = text.charAt(start);
  const triple = language === "python" && quote !== "`" && text.startsWith(quote.repeat(3), start);
  const close = triple ? quote.repeat(3) : quote;
  const raw = prefix.includes("r");
  // What opens a piece that the running program fills in.
  const opens =
    language === "python"
      ? prefix.includes("f")
        ? "{"
        : ""
      : language === "javascript"
        ? quote === "`"
          ? "${"
          : ""
        : quote === "'"
          ? ""
          : "#{";
  let place = start + close.length;
  let found = "";
  let known = true;
  while (place < text.length && !text.startsWith(close, place)) {
    PLAIN.lastIndex = place;
    if (PLAIN.test(text)) {
      found += text.slice(place, PLAIN.lastIndex);
      place = PLAIN.lastIndex;
      continue;
    }
    const char = text.charAt(place);
    if (char === "\n" && !triple && quote !== "`" && (language === "python" || language === "javascript"))
      break;
    if (char === "\\") {
      const next = text.charAt(place + 1);
      found += raw ? char + next : (ESCAPES[next] ?? next);
      place += 2;
    } else if (opens === "{" && (text.startsWith("{{", place) || text.startsWith("}}", place))) {
      found += char;
      place += 2;
    } else if (opens !== "" && text.startsWith(opens, place)) {
      const near = text.slice(place, place + LONGEST_PIECE);
      const length = near.indexOf("}") + 1;
      const stop = near.indexOf(close);
      // A piece that does not end before the string is text.
      const closed = length > 0 && (stop < 0 || length <= stop || language !== "python");
      found += closed ? "$UNKNOWN_VALUE" : char;
      known &&= !closed;
      place += closed ? length : 1;
    } else {
      found += char;
      place += 1;
    }
  }
  // Perl fills in variables in double quotes.
  if (language === "perl" && quote === '"' && /[$@]\w/.test(found)) known = false;
  return { text: found, known, end: Math.min(place + close.length, text.length) };
}
