/** A group that is open, or the whole pattern: where its first alternative starts, and its bars. */
interface Group {
  readonly start: number;
  readonly bars: number[];
}

const OPENING = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;
const ATOM = /\\.|\[(?:\\.|[^\]\\])*\]|./sy;

/** The regular expression without its first alternative, without its second, …, at every depth. */
export function withoutEachAlternative(pattern: string): string[] {
  const found: string[] = [];
  const open: Group[] = [{ start: 0, bars: [] }];
  const close = (end: number): void => {
    const group = open.pop();
    if (group === undefined || group.bars.length === 0) return;
    const starts = [group.start, ...group.bars.map((bar) => bar + 1)];
    const ends = [...group.bars, end];
    for (const [index, start] of starts.entries()) {
      const stop = ends[index] ?? end;
      // With the bar behind it; the last alternative has only one before it.
      const [from, to] = index < group.bars.length ? [start, stop + 1] : [start - 1, stop];
      found.push(pattern.slice(0, from) + pattern.slice(to));
    }
  };
  for (let at = 0; at < pattern.length; ) {
    const [opening = ""] = matchAt(OPENING, pattern, at);
    if (opening !== "") open.push({ start: at + opening.length, bars: [] });
    else if (pattern[at] === "|") open.at(-1)?.bars.push(at);
    else if (pattern[at] === ")") close(at);
    at += opening.length || (matchAt(ATOM, pattern, at)[0]?.length ?? 1);
  }
  close(pattern.length);
  return found;
}

function matchAt(expression: RegExp, text: string, at: number): readonly string[] {
  expression.lastIndex = at;
  return expression.exec(text) ?? [];
}
