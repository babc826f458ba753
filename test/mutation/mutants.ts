import { readFile } from "node:fs/promises";
import { type babel, Instrumenter } from "@stryker-mutator/instrumenter";
import { directivesOf, ignoredBy, wrong } from "./directives.ts";
import { isSettingsSchema, isText } from "./exemptions.ts";
import { isSplitLiteral, type Weakening, weakenings } from "./weakenings.ts";

/** One change to a file. */
export interface Mutant {
  readonly id: string;
  /** Counted from one, as editors do. */
  readonly line: number;
  readonly column: number;
  /** Stryker's name for the kind of change. */
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** Why it need not be killed. */
  readonly ignored?: string | undefined;
}

export interface Mutated {
  readonly mutants: readonly Mutant[];
  /** The file with Stryker's mutants in it, each behind a switch: `globalThis.__stryker__.activeMutant`. */
  readonly code: string;
  /** The files of the mutants that have no switch. */
  readonly variants: Readonly<Record<string, string>>;
  /** What is wrong with comments that tell Stryker to ignore a mutant, and lists that are split from one string. */
  readonly complaints: readonly string[];
}

interface Position {
  /** Counted from zero, as Stryker does. */
  readonly line: number;
  readonly column: number;
}

/** Makes all mutants of a TypeScript file: those that Stryker knows, and `weakenings`, which it does not. */
export async function mutate(file: string): Promise<Mutated> {
  const content = await readFile(file, "utf8");
  const lines = content.split("\n");
  const directives = directivesOf(lines);
  const complaints: string[] = [];
  const texts = new Set<string>();
  const weakened = new Map<string, Weakening>();

  const { files, mutants } = await new Instrumenter(logger((message) => complaints.push(message))).instrument(
    [{ name: file, mutate: true, content }],
    {
      plugins: null,
      excludedMutations: [],
      // Stryker asks it about each node on its way, down to those that it ignores.
      ignorers: [
        {
          shouldIgnore(node) {
            const path = node as babel.NodePath;
            if (isSettingsSchema(path)) return "schema of the settings, which the engine checks";
            const start = path.node.loc?.start;
            if (start && isSplitLiteral(path)) {
              complaints.push(
                `line ${start.line}: write the words of the list as strings of their own, not as one that is split`,
              );
            }
            if (start && isText(path)) texts.add(`${start.line - 1}:${start.column}`);
            for (const found of weakenings(path)) {
              weakened.set(`${found.start}-${found.end} ${found.replacement}`, found);
            }
            return undefined;
          },
        },
      ],
    },
  );

  const stryker = mutants.map(({ id, mutatorName, replacement, location, status, statusReason }): Mutant => {
    const { line, column } = location.start;
    // An ignorer would take all that stands in a text with it, and a template may hold a condition.
    const text = mutatorName === "StringLiteral" && texts.has(`${line}:${column}`);
    return {
      id,
      line: line + 1,
      column: column + 1,
      mutator: mutatorName,
      original: content.slice(offset(lines, location.start), offset(lines, location.end)),
      replacement,
      ignored: status === "Ignored" ? statusReason : text ? "text for people" : undefined,
    };
  });
  const variants: Record<string, string> = {};
  const ours = [...weakened.values()].map(({ start, end, replacement, mutator }, index): Mutant => {
    const id = `weaker-${index}`;
    const before = content.slice(0, start).split("\n");
    const line = before.length;
    variants[id] = content.slice(0, start) + replacement + content.slice(end);
    return {
      id,
      line,
      column: (before.at(-1)?.length ?? 0) + 1,
      mutator,
      original: content.slice(start, end),
      replacement,
      ignored: ignoredBy(directives, line, mutator),
    };
  });
  const all = [...stryker, ...ours];
  complaints.push(...wrong(directives, new Set(all.map(({ ignored }) => ignored ?? ""))));
  return { mutants: all, code: files[0]?.content ?? content, variants, complaints };
}

function offset(lines: readonly string[], { line, column }: Position): number {
  return lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, column);
}

/** Hears Stryker's warnings: a directive with a misspelt mutator is one to it, and then ignores nothing. */
function logger(hear: (message: string) => void): ConstructorParameters<typeof Instrumenter>[0] {
  const no = (): false => false;
  return {
    isTraceEnabled: no,
    isDebugEnabled: no,
    isInfoEnabled: no,
    isWarnEnabled: no,
    isErrorEnabled: no,
    isFatalEnabled: no,
    trace: no,
    debug: no,
    info: no,
    warn: hear,
    error: hear,
    fatal: hear,
  };
}
