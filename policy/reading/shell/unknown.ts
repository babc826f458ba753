import { type Known, UNKNOWN } from "../content.ts";

/**
 * Stands inside a word or text for what only the running shell knows. A private-use character: it survives quoting
 * and parsing, so that what is known beside it stays readable in a text that another shell will run.
 */
export const HOLE = "\uE000";

/** Stands for all that a command line reads, while it is found out what the line does with that. */
export const INPUT_MARK = "\uE001";

/** A word as gates see it. A word that is unknown in part is unknown. */
export const known = (word: string): Known<string> => (word.includes(HOLE) ? UNKNOWN : word);

/** A word as it is handled while a script is read. */
export const holed = (word: Known<string>): string => (word === UNKNOWN ? HOLE : word);

/** A text as it is written to a file, with the unknown as a variable that nobody sets. */
export const spelled = (text: string): string => text.replaceAll(HOLE, "$UNKNOWN");

/** As one word of a shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
