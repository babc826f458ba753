import type { Known } from "../../content.ts";
import { known } from "../unknown.ts";

/** A program to be started. `HOLE` stands in its words for what is unknown. */
export interface Start {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, Known<string>>>;
  readonly input?: string;
}

/** A text that a program will run. */
export interface Run {
  readonly text: string;
  /** Default: shell. */
  readonly format?: "script";
  readonly parameters?: readonly string[];
  /** Runs elsewhere: variables of this place mean nothing there. */
  readonly remote?: boolean;
  /** Ends up as this file instead. */
  readonly path?: string;
}

export interface Started {
  /** The program itself stays a command. */
  readonly keep: boolean;
  readonly starts?: readonly Start[];
  readonly texts?: readonly Run[];
}

/** What a program starts; undefined: nothing but itself. */
export type Starter = (start: Start) => Started | undefined;

/** A program that gives a text to a shell. */
export const runs = (text: string, how: Omit<Run, "text"> = {}): Started => ({
  keep: true,
  texts: [{ text, ...how }],
});

/** A program that gives what it reads to a shell. */
export const runsInput: Starter = ({ input }) => (input === undefined ? undefined : runs(input));

/** A program whose last words are a program with its arguments. Without any it starts a shell, which reads the input. */
export const startsWords = (start: Start, words: readonly string[], keep = false): Started | undefined =>
  words.length > 0 ? { keep, starts: [{ ...start, words }] } : runsInput(start);

/** Names of a file that stands for what a program reads. */
export const isStandardInput = (word: string): boolean =>
  /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(word);

/** Adds `NAME=value` to an environment; false, when the word is no assignment. */
export function assign(word: string, environment: Record<string, Known<string>>): boolean {
  const match = /^([A-Za-z_]\w*)=/.exec(word);
  if (match === null) return false;
  environment[match[1] ?? ""] = known(word.slice(match[0].length));
  return true;
}
