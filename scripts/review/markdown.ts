/** Text of others in Markdown that GitHub and GitLab show: it stays text, whatever it holds. */

/**
 * Control characters, and the invisible ones that reorder or hide text (Unicode's categories Cc and Cf). Line breaks
 * and tabs are not among them.
 */
const INVISIBLE = /[^\P{C}\n\t]/gu;
/** Longer text says nothing more to a reviewer, and a comment holds 65,536 characters in all. */
const LONGEST_LINE = 2_000;

/**
 * One line of text that nothing in it can break out of, for a paragraph, a quote or a table's cell. Every character
 * that Markdown or HTML gives a meaning becomes an entity, which is only ever a character. A mention, an issue's number or an
 * address is looked for in the finished page, so an invisible space parts it.
 */
export function inline(text: string): string {
  return cut(text.replaceAll(/\s+/g, " ").replaceAll(INVISIBLE, "").trim(), LONGEST_LINE)
    .replaceAll(/[&<>"'`*_[\]()\\|~#@$!{}^=]|^[-+\d]/g, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll(/&#(?:64|35);|:(?=\/\/)|\bwww(?=\.)|\bGH(?=-)/gi, "$&&#8203;");
}

/** A block of text as it stands, in a fence that is longer than any run of backticks in it. */
export function fenced(text: string, longest = 20_000): string {
  const body = cut(text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n").replaceAll(INVISIBLE, ""), longest);
  const runs = [...body.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}text\n${body}\n${fence}`;
}

/** A table; the cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text.toWellFormed();
  return `${text.slice(0, longest).toWellFormed()} … (${text.length - longest} characters more)`;
}
