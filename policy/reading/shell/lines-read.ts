import { baseName } from "../argv.ts";
import type { Assigned } from "./expansion/reading.ts";
import type { Names } from "./names.ts";
import { HOLE } from "./unknown.ts";

/** Lines of an input that are told apart; beyond them a line is unknown. */
const MOST = 16;

/** `read` and `mapfile` assign what they read: a variable may be any of the input's lines. */
export function addLinesRead(words: readonly string[], input: string, names: Names): void {
  const program = baseName(words[0] ?? "");
  if (input === HOLE || !/^(read|mapfile|readarray)$/.test(program)) return;
  const variables = words.slice(1).filter((word) => /^[A-Za-z_]\w*$/.test(word));
  if (variables.length === 0) variables.push(program === "read" ? "REPLY" : "MAPFILE");
  const lines = input.replace(/\n$/, "").split("\n", MOST + 1);
  const told = lines.length > MOST ? [...lines.slice(0, MOST), HOLE] : lines;
  variables.forEach((name, index) => {
    const last = index === variables.length - 1;
    const values: Assigned["values"] = () =>
      program === "read" ? told.map((line) => [field(line, index, last)]) : [told];
    const runs = names.variables.get(name) ?? [];
    names.variables.set(name, [...runs, [{ append: false, array: program !== "read", values }]]);
  });
}

/** Lines are split at blanks; the last variable gets the rest. */
function field(line: string, index: number, last: boolean): string {
  const fields = line.trim().split(/\s+/);
  return last ? fields.slice(index).join(" ") : (fields[index] ?? "");
}
