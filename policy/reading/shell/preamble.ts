import { HOLE, quoted } from "./unknown.ts";

/** Variables that one nested text is told of. */
const MOST = 64;

/**
 * What a nested text must be told to be read on its own, as assignments before its first line: its parameters
 * (`sh -c 'tailscale "$@"' sh funnel`) and the variables that it, or one of their values, names and `variable` knows.
 */
export function preamble(
  text: string,
  variable: (name: string) => string | undefined,
  parameters: readonly string[] = [],
): string {
  let told = parameters.length === 0 ? "" : `set -- ${parameters.map(quoted).join(" ")}; `;
  const names = new Set<string>();
  const addNamed = (within: string): void => {
    for (const match of within.matchAll(/\$\{?!?([A-Za-z_]\w*)/g)) {
      if (names.size < MOST) names.add(match[1] ?? "");
    }
  };
  addNamed(text);
  for (const name of names) {
    const value = variable(name);
    if (value === undefined || value === HOLE) continue;
    told += `${name}=${quoted(value)}; `;
    // `eval "$line"` reads the variables that the line names. A set is walked to what is added on the way.
    addNamed(value);
  }
  return told;
}

/** A command line of a remote shell together with what it reads. */
export function withInput(line: string, input: string | undefined): string {
  if (input === undefined || input === HOLE || line === HOLE || line === "") return line;
  let end = "INPUT";
  for (const [found] of input.matchAll(/^INPUT_*$/gm)) if (found.length >= end.length) end = `${found}_`;
  return `{ ${line}\n} <<'${end}'\n${input}${input.endsWith("\n") ? "" : "\n"}${end}\n`;
}
