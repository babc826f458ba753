import type { Text } from "../content.ts";
import type { Nix } from "./syntax.ts";

/** Options of NixOS whose value is shell. */
const SHELL =
  /^(script|(pre|post)(Start|Stop|Up|Down|Setup|Shutdown|Switch)|reload|shellHook|(interactive|login|extra)?(Shell)?[iI]nit(Script)?|(interactive|login)ShellInit|(local|postBoot|postMount|preDevice|postDevice|preLVM|postResume|powerUp|powerDown|resume|extra|extraStop|setup)Commands|runtimeShell|runScript)$/;
const EXEC = /^Exec(Start(Pre|Post)?|Stop(Post)?|Reload|Condition)$/;
const DRIVER_KNOWS = /^(#!|#cloud-config\b|#cloud-boothook\b|MIME-Version:|Content-Type: multipart)/;

/** The text that a string at this path is read as later on, if it is. */
export function carriedText(path: readonly string[], text: string, place: string): Text | undefined {
  // The nearest names: what stands in a list belongs to the option that has the list.
  const keys: string[] = [];
  for (let index = path.length - 1; index >= 0 && keys.length < 3; index -= 1) {
    const key = path[index] ?? "";
    if (!/^\d+$/.test(key)) keys.unshift(key);
  }
  const [name, last] = [keys.at(-2) ?? "", keys.at(-1) ?? ""];
  if (keys.length === 0 && !DRIVER_KNOWS.test(text)) return undefined;
  const at = `${place} › ${path.join(".")}`;
  if (EXEC.test(last))
    return { at, format: "unit", text: `[Service]\n${last}=${text.replace(/\s*\n\s*/g, " ")}` };
  if (SHELL.test(last)) return { at, format: "shell", text };
  const above = keys.at(-3) ?? "";
  if (last === "text") {
    if (above === "etc") return { at, path: `/etc/${name}`, text };
    if (above === "activationScripts") return { at, format: "shell", text };
    if (above === "units" || above === "user.units")
      return { at, path: `/etc/systemd/system/${name}`, format: "unit", text };
    if (above === "file" || above === "configFile") return { at, path: name, text };
  }
  if (name === "activationScripts") return { at, format: "shell", text };
  return DRIVER_KNOWS.test(text) ? { at, text } : undefined;
}

/** What `writeShellScript`, `writeShellApplication`, `writeText`, … write. */
export function writtenText(
  fn: string,
  args: readonly Nix[],
  render: (node: Nix) => string | undefined,
  place: string,
): Text | undefined {
  const attribute = (set: Nix | undefined, key: string): Nix | undefined =>
    set?.kind === "set"
      ? set.binds.find(({ path }) => path.length === 1 && path[0] === key)?.value
      : undefined;
  const [first] = args;
  const last = args.at(-1);
  const name = (first?.kind === "set" ? attribute(first, "name") : first) ?? first;
  const body = last?.kind === "set" ? attribute(last, "text") : last;
  const text = body && render(body);
  if (text === undefined || name === undefined) return undefined;
  const title = render(name) ?? "";
  const at = `${place} › ${fn} ${title}`.trimEnd();
  if (/^writeShell/.test(fn) || /^write(Bash|Dash)/.test(fn)) return { at, format: "shell", text };
  if (/^write(Python|Perl|JS|Ruby|Lua|Node)/.test(fn)) return { at, format: "script", text };
  // A script tells its language in its first line; a file by its name.
  return fn.startsWith("writeScript") ? { at, text } : { at, path: title, text };
}
