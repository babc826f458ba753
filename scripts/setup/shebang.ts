/** The program that a first line like `#!/usr/bin/env -S python3 -I` names, without its folder. */
export function shebangProgram(firstLine: string): string | undefined {
  if (!firstLine.startsWith("#!")) return undefined;
  const [program, ...rest] = firstLine.slice(2).trim().split(/\s+/).map(baseName);
  if (program !== "env") return program === "" ? undefined : program;
  // env(1) takes options and NAME=VALUE before the program.
  return rest.find((word) => !word.startsWith("-") && !word.includes("="));
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
