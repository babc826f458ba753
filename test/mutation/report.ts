import { relative } from "node:path";
import type { Fate, Outcome, Result } from "./check.ts";

/** What the command prints: errors and survivors first, counts last. */
export function report({ files, outcomes, errors }: Result, seconds: number): string {
  const of = (fate: Fate): Outcome[] => outcomes.filter((outcome) => outcome.fate === fate);
  const late = of("timed out").length;
  const killed = `${of("killed").length + late} killed${late > 0 ? ` (${late} by the time limit)` : ""}`;
  const counts = `${killed}, ${of("survived").length} survived, ${of("ignored").length} ignored`;
  return [
    ...errors.map((error) => `error: ${error}`),
    ...of("survived").map(survivor),
    ...of("timed out").map(({ file, mutant }) => `time limit: ${placeOf(file, mutant)}`),
    `${files} files, ${outcomes.length} mutants: ${counts}; ${seconds.toFixed(1)} s`,
    ...reasons(of("ignored")),
  ].join("\n");
}

function survivor({ file, mutant, why }: Outcome): string {
  return [
    `survived: ${placeOf(file, mutant)} ${mutant.mutator}, ${why}`,
    `  - ${short(mutant.original)}`,
    `  + ${short(mutant.replacement)}`,
  ].join("\n");
}

function reasons(ignored: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  for (const { why } of ignored) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => `  ignored ${count}: ${why}`);
}

const placeOf = (file: string, { line, column }: Outcome["mutant"]): string =>
  `${relative(process.cwd(), file)}:${line}:${column}`;

function short(code: string): string {
  const line = code.replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
