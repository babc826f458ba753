/**
 * Where a word may be one of several (`for m in serve funnel`, two assignments), a command is read once for each
 * choice. A choice that has a name is the same everywhere in one reading: `$m $m` gives two commands, not four.
 */
export interface Choices {
  /** Index of what is chosen among `count`, or undefined when nothing may be chosen any more. */
  pick(name: string, count: number): number | undefined;
  /**
   * Whether an earlier reading has found the same already: choices made for one word leave others as they were. Where
   * nothing was chosen there is one reading, and all in it is new.
   */
  isNew(key: () => string): boolean;
}

/** Sixteen readings a command; one more in which every choice is left open stands for the rest. */
const READINGS = 16;

/** Calls `read` once for each combination of choices that it makes. */
export function eachChoice(read: (choices: Choices) => void): void {
  const seen = new Set<string>();
  const isUnseen = (key: string): boolean => {
    const before = seen.size;
    return seen.add(key).size > before;
  };
  const made: { readonly name: string; readonly count: number; index: number }[] = [];
  for (let reading = 0; reading < READINGS; reading += 1) {
    read({
      isNew: (key) => made.length === 0 || isUnseen(key()),
      pick(name, count) {
        if (count <= 1) return count === 1 ? 0 : undefined;
        const before = made.find((choice) => choice.name === name);
        if (before !== undefined) return before.index < count ? before.index : undefined;
        made.push({ name, count, index: 0 });
        return 0;
      },
    });
    for (let last = made.at(-1); last !== undefined; last = made.at(-1)) {
      last.index += 1;
      if (last.index < last.count) break;
      made.pop();
    }
    if (made.length === 0) return;
  }
  read({ isNew: (key) => isUnseen(key()), pick: (_name, count) => (count === 1 ? 0 : undefined) });
}
