import { type ParsedScript, parse } from "unbash";

const RESTARTS_MOST = 16;

/**
 * The script, and after a syntax error the lines that follow it, as scripts of their own. An error ends a script for
 * a shell; what follows may still be meant for another one. Positions are those of the source. Undefined: it nests too
 * deep to be read.
 */
export function parseScripts(source: string): readonly ParsedScript[] | undefined {
  const scripts: ParsedScript[] = [];
  let rest = source;
  while (scripts.length < RESTARTS_MOST) {
    const script = parseScript(rest);
    if (script === undefined) return undefined;
    scripts.push(script);
    const error = script.errors?.at(-1);
    if (error === undefined) break;
    const end = Math.max(error.pos, script.commands.at(-1)?.end ?? 0);
    const next = source.indexOf("\n", end);
    if (next < 0) break;
    rest = source.slice(0, next).replace(/[^\n]/g, " ") + source.slice(next);
  }
  return scripts;
}

/** Undefined where the script nests so deep that the parser, which calls itself, gives up. */
export function parseScript(source: string): ParsedScript | undefined {
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}
