import { type Known, type Reader, UNKNOWN } from "../content.ts";
import { Memo } from "../memo.ts";
import { type Language, languageOf, type ScriptToken, scriptTokens } from "./script-tokens.ts";

const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;
/** Functions that start what they are given. */
const RUNS =
  /(?:^|[._])(?:system|popen\w*|run\w*|call|check_call|check_output|exec\w*|spawn\w*|sh|shell|qx|getoutput|getstatusoutput|create_subprocess_\w+)$/i;
/** Functions whose arguments are words for people, or for other functions, however they begin. */
const TALKS =
  /(?:^|[._])(?:print\w*|puts|say|warn\w*|die|raise|log|debug|info|error|exception|critical|join|get|getattr|setattr|replace|sub|split|startswith|endswith|startsWith|endsWith|format|add_argument|compile|match|search|require|import|isinstance|Error|\w*Error|\w*Exception|Problem)$/;
/** Words before a bracket that make it a list to look in. */
const LOOKS_IN = new Set(["in", "of", "def", "class"]);
/** Their second argument is the name by which the program knows itself. */
const NAMES_ITSELF = /(?:^|[._])execl\w*$/;
const DEEPEST = 100;

/**
 * A program in Python, Perl, Ruby, JavaScript, …: string literals that stand in one list or call are a command when the
 * first looks like a program; a literal with blanks is shell when a function that runs commands is given it. Names
 * that are bound to one literal in the file count as that literal. Comments and docstrings are not read.
 */
export const readScript: Reader = ({ at, path, text }) => {
  const language = languageOf(text, path);
  // What installs a program reads the same text more than once: in `create`, in `update`, as their input.
  const { commands, texts } = known.of(`${language} ${text}`, () => found(text, language));
  const place = (line: number): string => `${at} › line ${line}`;
  return {
    commands: commands.map(({ line, words }) => ({ at: place(line), words, environment: {} })),
    texts: texts.map(({ line, text }) => ({ at: place(line), text, format: "shell" })),
  };
};

interface Found {
  readonly commands: readonly { readonly line: number; readonly words: readonly Known<string>[] }[];
  readonly texts: readonly { readonly line: number; readonly text: string }[];
}
const known = new Memo<Found>();

function found(script: string, language: Language): Found {
  const tokens = scriptTokens(script, language);
  const commands: Found["commands"][number][] = [];
  const texts: Found["texts"][number][] = [];
  const bound = bindings(tokens);
  const literal = (token: ScriptToken | undefined): Known<string> | undefined => {
    if (token?.kind === "string") return token.known ? token.text : UNKNOWN;
    return token?.kind === "word" ? bound.get(token.text) : undefined;
  };
  const shell = (token: ScriptToken): void => {
    const source = token.kind === "string" ? token.text : literal(token);
    if (typeof source === "string") texts.push({ line: token.line, text: source });
  };

  const stack: {
    readonly call: string;
    readonly list: boolean;
    readonly items: Element[];
    item: ScriptToken[];
    nested: Known<string>[] | undefined;
  }[] = [];
  type Element = { readonly words: readonly Known<string>[] };
  const finish = (): void => {
    const open = stack.at(-1);
    if (open === undefined) return;
    open.items.push({ words: elementWords(open.item, open.nested, literal) });
    open.item = [];
    open.nested = undefined;
  };
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const open = stack.at(-1);
    if (token.kind === "run") texts.push({ line: token.line, text: token.text });
    else if (token.kind === "mark" && "([{".includes(token.text)) {
      const called = token.text === "(" && before?.kind === "word" ? before.text : "";
      const list = token.text !== "{" && !(before?.kind === "word" && LOOKS_IN.has(before.text));
      // Deeper brackets count as one, whose end may come early: programs have no such.
      if (stack.length < DEEPEST) stack.push({ call: called, list, items: [], item: [], nested: undefined });
      const [first, after] = [tokens[index + 1], tokens[index + 2]];
      const blank =
        (first?.kind === "string" && /\s/.test(first.text)) ||
        (typeof literal(first) === "string" && /\s/.test(String(literal(first))));
      const alone = after?.kind === "mark" && ",)".includes(after.text);
      if (RUNS.test(called) && first !== undefined && blank && alone) shell(first);
      else if (/(?:^|\.)shlex\.split$/.test(called) && first !== undefined) shell(first);
    } else if (token.kind === "mark" && ")]}".includes(token.text)) {
      if (open === undefined) continue;
      finish();
      stack.pop();
      const words = open.items.flatMap((item) => item.words);
      const outer = stack.at(-1);
      const joins = before !== undefined && tokens[index + 1]?.text === "+" && token.text === "]";
      if (outer !== undefined && token.text === "]" && open.call === "")
        outer.nested = [...(outer.nested ?? []), ...words].slice(0, 1000);
      const start = words[0];
      const enough = words.length > 1 || RUNS.test(open.call);
      if (
        !open.list ||
        joins ||
        typeof start !== "string" ||
        !PROGRAM.test(start) ||
        !enough ||
        TALKS.test(open.call)
      )
        continue;
      const argv = NAMES_ITSELF.test(open.call) ? [start, ...words.slice(2)] : words;
      commands.push({ line: token.line, words: argv });
    } else if (token.kind === "mark" && token.text === "," && open !== undefined) finish();
    else {
      if (open !== undefined && open.item.length < 8) open.item.push(token);
      // Perl and Ruby call without brackets: system "tailscale", "up";
      if (token.kind === "string" && before?.kind === "word" && RUNS.test(before.text)) {
        const words = bare(tokens, index, literal);
        if (words.length > 1) commands.push({ line: token.line, words });
        else shell(token);
      }
      if (token.kind === "string" && tokens[index + 1]?.text === ".split" && /\s/.test(token.text))
        shell(token);
    }
  }
  return { commands, texts };
}

type Literal = (token: ScriptToken | undefined) => Known<string> | undefined;

/** What an element of a list comes to: a word, the words of a list in it, nothing for a named argument. */
function elementWords(
  item: readonly ScriptToken[],
  nested: Known<string>[] | undefined,
  literal: Literal,
): Known<string>[] {
  if (nested !== undefined) return nested;
  if (item.length === 0) return [];
  if (item.some(({ kind, text }) => kind === "mark" && (text === "=" || text === ":" || text === "=>")))
    return [];
  const words = item.map(literal);
  // Literals side by side are one.
  if (item.every(({ kind }) => kind === "string"))
    return [words.every((word) => typeof word === "string") ? words.map(String).join("") : UNKNOWN];
  return [item.length === 1 ? (words[0] ?? UNKNOWN) : UNKNOWN];
}

function bare(tokens: readonly ScriptToken[], from: number, literal: Literal): Known<string>[] {
  const words: Known<string>[] = [];
  for (let index = from; index < tokens.length && words.length < 1000; index += 2) {
    words.push(literal(tokens[index]) ?? UNKNOWN);
    if (tokens[index + 1]?.text !== "," || tokens[index + 1]?.kind !== "mark") break;
  }
  return words;
}

/** `NAME = "literal"`, for names that nothing else is bound to. */
function bindings(tokens: readonly ScriptToken[]): Map<string, Known<string>> {
  const bound = new Map<string, Known<string>>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "word" || tokens[index + 1]?.text !== "=" || tokens[index + 1]?.kind !== "mark")
      continue;
    const value = tokens[index + 2];
    const after = tokens[index + 3];
    const ends = after === undefined || after.line > (value?.line ?? 0) || after.text === ";";
    const known = value?.kind === "string" && value.known && ends && !bound.has(token.text);
    bound.set(token.text, known ? value.text : UNKNOWN);
  }
  return bound;
}
