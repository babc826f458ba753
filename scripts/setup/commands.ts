/** Short questions to other programs: what they print, or undefined when they can't. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface Ask {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutSeconds?: number;
}

/** Standard output without the last newline; undefined when the program is missing, fails or is too slow. */
export function ask(program: string, args: readonly string[], options: Ask = {}): string | undefined {
  const { timeoutSeconds = 30, ...rest } = options;
  const settings: ExecFileSyncOptions = {
    ...rest,
    timeout: timeoutSeconds * 1_000,
    stdio: ["ignore", "pipe", "ignore"],
  };
  try {
    return execFileSync(program, args, { ...settings, encoding: "utf8" }).trimEnd();
  } catch {
    return undefined;
  }
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Every executable of that name on PATH, first one first, without those below `excluded`. */
export function findOnPath(name: string, options: { path?: string; excluded?: string } = {}): string[] {
  return (options.path ?? process.env["PATH"] ?? "")
    .split(delimiter)
    .filter(
      (folder) => folder !== "" && !(options.excluded !== undefined && folder.startsWith(options.excluded)),
    )
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}
