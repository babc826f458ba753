import { UNKNOWN } from "./content.ts";

/** Remembers what was made of a text, up to a number of characters; then it begins anew. */
export class Memo<Result> {
  readonly #known = new Map<string, { readonly made: Result }>();
  readonly #most: number;
  #characters = 0;

  /** @param most characters of all texts together; 8 Mi by default. */
  constructor(most = 8 * 2 ** 20) {
    this.#most = most;
  }

  /** What was made of `text` before, or what `make` makes now. */
  of(text: string, make: () => Result): Result {
    const before = this.#known.get(text);
    if (before !== undefined) return before.made;
    if (this.#characters > this.#most) {
      this.#known.clear();
      this.#characters = 0;
    }
    const made = make();
    this.#known.set(text, { made });
    this.#characters += text.length;
    return made;
  }
}

/** A text that is the same for the same values only. */
export const keyOf = (values: unknown): string => JSON.stringify(values, asText);

/** Texts that begin like what stands for a value that JSON does not have get another such beginning. */
function asText(_key: string, value: unknown): unknown {
  if (value === UNKNOWN) return MARK;
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value)))
    return `${MARK}:${value}`;
  return typeof value === "string" && value.startsWith(MARK) ? MARK + value : value;
}
const MARK = "\u0000";
