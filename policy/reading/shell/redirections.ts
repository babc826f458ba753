import type { Redirection } from "unbash";
import type { Reading } from "./expansion/reading.ts";
import { expandParts, expandText } from "./expansion/words.ts";

/** Whether standard input comes from here: `<`, a here-document, a here-string. */
export const givesInput = (redirect: Redirection): boolean =>
  (redirect.type !== "Redirect" || redirect.operator === "<") && isDescriptor(redirect, 0);

/** Whether standard output goes here: `>`, `>>`, `>|`, `&>`. */
export const takesOutput = (redirect: Redirection): boolean =>
  redirect.type === "Redirect" && /^(&?>>?|>\|)$/.test(redirect.operator) && isDescriptor(redirect, 1);

/** By default a redirection is of the descriptor that its operator is about. */
const isDescriptor = ({ descriptor }: Redirection, value: number): boolean =>
  descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === value);

/** The text of a here-document or a here-string; undefined for other redirections. */
export function hereText(redirect: Redirection, reading: Reading): string | undefined {
  if (redirect.type === "HereString")
    return redirect.target === undefined ? undefined : `${expandText(redirect.target, reading)}\n`;
  if (redirect.type !== "HereDoc") return undefined;
  const { body, delimiter, operator } = redirect;
  const unescaped = () =>
    body.text.replace(/\\([$`\\]|\n)/g, (_all, letter: string) => (letter === "\n" ? "" : letter));
  const text =
    body.parts !== undefined
      ? expandParts(body.parts, reading)
      : delimiter?.quoted === false
        ? unescaped()
        : body.text;
  return operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
}
