/** A comment that tells Stryker what to ignore: `// Stryker disable next-line Regex: the reason`. */
interface Directive {
  readonly text: string;
  /** Lines count from one. */
  readonly line: number;
  /** The next line with code. */
  readonly nextLine: number;
  readonly allowed: boolean;
  readonly mutators: readonly string[];
  readonly reason: string;
}

const DIRECTIVE = /(?:\/\/|\/\*)\s?Stryker (disable|restore)(?: (next-line))?([^:]*)(?::(.*))?/;

export function directivesOf(lines: readonly string[]): Directive[] {
  return lines.flatMap((line, index) => {
    const [text, verb, scope, mutators = "", reason = ""] = DIRECTIVE.exec(line) ?? [];
    if (text === undefined) return [];
    const code = lines.findIndex((next, at) => at > index && !/^\s*(\/\/.*)?$/.test(next));
    return {
      text,
      line: index + 1,
      nextLine: code + 1,
      allowed: verb === "disable" && scope !== undefined,
      mutators: mutators.split(",").map((name) => name.trim().toLowerCase()),
      reason: reason.trim(),
    };
  });
}

/** The reason to ignore a mutant, when a directive gives one. */
export function ignoredBy(
  directives: readonly Directive[],
  line: number,
  mutator: string,
): string | undefined {
  return directives.find(
    ({ nextLine, mutators }) =>
      nextLine === line && (mutators.includes("all") || mutators.includes(mutator.toLowerCase())),
  )?.reason;
}

/** Stryker would take a directive without a reason, one for the rest of the file, and one that no longer fits. */
export function wrong(directives: readonly Directive[], given: ReadonlySet<string>): string[] {
  return directives.flatMap(({ text, line, allowed, reason }) => {
    const at = `line ${line}: ${text.trim()}`;
    if (!allowed) return [`${at}: only "disable next-line" is allowed`];
    if (reason === "") return [`${at}: give the reason after a colon`];
    return given.has(reason) ? [] : [`${at}: it ignores nothing, take it away`];
  });
}
