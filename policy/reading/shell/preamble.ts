import { HOLE, quoted } from "./unknown.ts";

/** Variables that one nested text is told of. */
const MOST = 64;

/**
 * What a nested text must be told to be read on its own, as assignments before its first line: its parameters
 * (`sh -c 'tailscale "$@"' sh funnel`) and the variables that it names and `variable` knows.
 */
export function preamble(
  text: string,
  variable: (name: string) => string | undefined,
  parameters: readonly string[] = [],
): string {
  let told = parameters.length === 0 ? "" : `set -- ${parameters.map(quoted).join(" ")}; `;
  const names = new Set<string>();
  for (const match of text.matchAll(/\$\{?!?([A-Za-z_]\w*)/g)) {
    if (names.size < MOST) names.add(match[1] ?? "");
  }
  for (const name of names) {
    const value = variable(name);
    if (value !== undefined && value !== HOLE) told += `${name}=${quoted(value)}; `;
  }
  return told;
}

/** A command line of a remote shell together with what it reads. */
export function withInput(line: string, input: string | undefined): string {
  if (input === undefined || input === HOLE) return line;
  const lines = new Set(input.split("\n"));
  let end = "INPUT";
  while (lines.has(end)) end += "_";
  return `{ ${line}\n} <<'${end}'\n${input}${input.endsWith("\n") ? "" : "\n"}${end}\n`;
}
