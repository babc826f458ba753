import type { Reader, Setting } from "../content.ts";

/**
 * Reads files of variables: systemd's `EnvironmentFile=` (systemd.exec(5)), `/etc/environment`, `.env`, podman's
 * `--env-file`. Quotes and escapes come off as in systemd, and an `export` before a name. Podman reads line by line and
 * knows no quotes: lines within a quoted value that assign something are therefore reported as well.
 */
export const readEnvironment: Reader = (text) => ({
  settings: [...assignments(text.text)].map(
    ([name, value]): Setting => ({ at: `${text.at} › ${name}`, path: [name], value }),
  ),
});

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=(.*)$/;

function* assignments(text: string): Generator<readonly [name: string, value: string]> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  // An open quote makes systemd read on to its end; the lines on the way are read on their own besides.
  let open: { readonly name: string; readonly parts: string[]; state: Quote } | undefined;
  for (const line of lines) {
    const found = ASSIGNMENT.exec(line);
    if (open !== undefined) {
      const next = unquoted(line, open.state);
      open.parts.push(next.text);
      open.state = next.state;
      if (found?.[1] !== undefined) yield [found[1], unquoted(found[2] ?? "", "").text];
      if (next.state === "") {
        yield [open.name, open.parts.join("")];
        open = undefined;
      }
      continue;
    }
    if (found?.[1] === undefined) continue;
    const { text: value, state } = unquoted(found[2] ?? "", "");
    if (state === "") yield [found[1], value];
    else open = { name: found[1], parts: [value], state };
  }
  if (open !== undefined) yield [open.name, open.parts.join("")];
}

/** What a line ends in: nothing, a quote that is still open, or a backslash that joins it with the next. */
type Quote = "" | '"' | "'" | "\\";

function unquoted(line: string, before: Quote): { readonly text: string; readonly state: Quote } {
  let quote: "" | '"' | "'" = before === "\\" ? "" : before;
  const start = before === "" ? line.trimStart() : line;
  let text = "";
  // Blanks at the end of a value count only within quotes.
  let kept = 0;
  for (let at = 0; at < start.length; at++) {
    const character = start.charAt(at);
    if (character === "\\" && quote !== "'") {
      const next = start.charAt(++at);
      if (next === "") {
        // A backslash at the end of a line leaves no trace, in quotes neither.
        return quote === "" ? { text, state: "\\" } : { text, state: quote };
      }
      // Within double quotes only these are escapes, as in a shell.
      text += quote === '"' && !/["\\`$]/.test(next) ? `\\${next}` : next;
      kept = text.length;
    } else if (character === quote) {
      quote = "";
      kept = text.length;
    } else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else {
      text += character;
      if (quote !== "" || !/[ \t]/.test(character)) kept = text.length;
    }
  }
  return quote === "" ? { text: text.slice(0, kept), state: "" } : { text: `${text}\n`, state: quote };
}
