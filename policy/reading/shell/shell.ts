import type { Reader } from "../content.ts";
import { Walk } from "./walk.ts";

/**
 * Commands, assignments and written files of a shell script, and the texts that it has other shells run. Nothing is
 * executed: a word that depends on more than the text is `UNKNOWN`. A word that may be one of several (a loop over a
 * list, a variable with two assignments, a default) gives a command for each, sixteen at most.
 */
export const readShell: Reader = ({ text, at }) => {
  const source = text.replaceAll("\r\n", "\n");
  return new Walk(source, at).read();
};
