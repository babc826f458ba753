import { readFileSync } from "node:fs";

/** The text of a script that the program sends: a path below scripts/. */
export function readScript(path: string): string {
  return readFileSync(new URL(`../scripts/${path}`, import.meta.url), "utf8");
}
