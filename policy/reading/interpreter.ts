import { baseName } from "./argv.ts";
import type { Format, Text } from "./content.ts";

const SHELLS = /^(sh|bash|dash|ash|ksh|mksh|zsh|rbash|busybox|toybox|openrc-run|runscript)$/;
const LANGUAGES = /^(python|perl|ruby|node|nodejs|deno|bun|ts-node|php|lua|luajit|tclsh|[gmn]?awk)[\d.]*$/;

/** The words of the lines `#!…` that a text begins with: `nix-shell` has a second one, which names the interpreter. */
function shebangWords(text: string): readonly string[] | undefined {
  const lines = /^\uFEFF?\s*((?:#!.*(?:\n|$))+)/.exec(text.slice(0, 4096))?.[1];
  return lines?.match(/[^\s#!'"]+/g) ?? undefined;
}

/**
 * How a text with a shebang is read; undefined for one without. Wrappers before the interpreter (`env`, `sudo`,
 * `with-contenv`) are passed over. Of an interpreter that nobody knows, both are tried: most have `#` for comments.
 */
export function interpreterFormats(text: string): readonly Format[] | undefined {
  const names = shebangWords(text)?.map(baseName);
  if (names === undefined) return undefined;
  if (names.some((name) => SHELLS.test(name))) return ["shell"];
  return names.some((name) => LANGUAGES.test(name)) ? ["script"] : ["script", "shell"];
}

/** What the kernel starts for a text with a shebang, as shell: `#!/usr/bin/tailscale funnel` is a command. */
export function interpreterCommand({ at, path, text }: Text): Text | undefined {
  const line = /^#![ \t]*([^\n]*)/.exec(text.slice(0, 4096))?.[1];
  if (line === undefined || interpreterFormats(text)?.length !== 2) return undefined;
  const file = `'${(path ?? "file").replaceAll("'", "")}'`;
  return { at: `${at} › #!`, text: `${line.trim()} ${file}`, format: "shell" };
}
