import type { Word } from "unbash";

/** Members of one pair of braces; with more, the word is unknown. */
const WIDEST = 64;
const LONGEST = 1024;

/**
 * Brace expansion of a word's first pair of braces, as the source of each word that it makes. Undefined for a word
 * without any, and for one that would give too much.
 */
export function expandBraces(word: Word): readonly string[] | undefined {
  const braces = word.parts?.find((part) => part.type === "BraceExpansion");
  if (braces === undefined || word.text.length > LONGEST) return undefined;
  const before = word.text.slice(0, braces.pos - word.pos);
  const after = word.text.slice(braces.end - word.pos);
  return members(braces.text)?.map((member) => before + member + after);
}

/** The members of `{a,b}` or `{1..3}`; undefined for what is neither. */
function members(text: string): readonly string[] | undefined {
  const inner = text.slice(1, -1);
  const range = /^(\d{1,5})\.\.(\d{1,5})$/.exec(inner);
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    const steps = Math.abs(to - from);
    return steps >= WIDEST
      ? undefined
      : Array.from({ length: steps + 1 }, (_, step) => `${from + (to > from ? step : -step)}`);
  }
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const letter = inner.charAt(at);
    // A comma in quotes or in an expansion separates nothing.
    if (/["'`$\\]/.test(letter)) return undefined;
    if (letter === "{") depth += 1;
    else if (letter === "}") depth -= 1;
    else if (letter === "," && depth === 0) {
      found.push(inner.slice(from, at));
      from = at + 1;
    }
  }
  return found.length === 0 || found.length >= WIDEST ? undefined : [...found, inner.slice(from)];
}
