import { type ParsedScript, parse } from "unbash";

const RESTARTS_MOST = 16;

/**
 * The script, and after a syntax error the lines that follow it, as scripts of their own. An error ends a script for
 * a shell; what follows may still be meant for another one. Positions are those of the source.
 */
export function parseScripts(source: string): readonly ParsedScript[] {
  const scripts: ParsedScript[] = [];
  let rest = source;
  while (scripts.length < RESTARTS_MOST) {
    const script = parse(rest);
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
