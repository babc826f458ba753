import { STACKS, type StackName } from "./record.ts";

/** What a person types to deploy a stack in its lab. */
export const startCommand = (stack: StackName): string =>
  stack === STACKS[0] ? "npm start" : `npm start -- ${stack}`;

export const isStack = (word: string | undefined): word is StackName =>
  STACKS.some((stack) => stack === word);

/**
 * Which lab a command is for: the one whose stack is the first word, else the only one that there is, else that of the
 * first stack.
 */
export function chooseStack(
  words: readonly string[],
  existing: readonly StackName[],
): { readonly stack: StackName; readonly rest: readonly string[] } {
  const [first, ...others] = words;
  if (isStack(first)) return { stack: first, rest: others };
  const [only, second] = existing;
  return { stack: only !== undefined && second === undefined ? only : STACKS[0], rest: words };
}
