import { option, program as programOf } from "../reading/argv.ts";
import type { Command, Setting, Text } from "../reading/content.ts";

/** Where a machine is given the name that it goes by in the tailnet: its hostname, or the one that it joins with. */

/** Top keys of cloud-init's user data and meta data. */
const HOST: ReadonlySet<string | undefined> = new Set(["hostname", "fqdn", "local-hostname"]);
/** Options of NixOS, under services.tailscale. */
const FLAGS: ReadonlySet<string | undefined> = new Set(["extraUpFlags", "extraSetFlags"]);

/** Whether a text is for cloud-init, by its first lines or by the place that cloud-init looks in. */
export const isCloudInit = ({ text, path }: Text): boolean =>
  // Stryker disable next-line MethodExpression: it only takes longer
  /^#cloud-config/m.test(text.slice(0, 512)) || /\/(user-data|meta-data|cloud\.cfg)/.test(String(path));

/**
 * The name that a setting gives; undefined when it is about something else. `cloudInit` tells by its place whether a text
 * is for cloud-init.
 */
export function nameInSetting({ at, path, value }: Setting, cloudInit: (at: string) => boolean): unknown {
  const key = path.at(-1);
  // A property of that name is of something else, but for what a Linux container is given of cloud-init.
  if (HOST.has(key))
    return at === "initialization.hostname" || cloudInit(at.slice(0, -` › ${key}`.length))
      ? value
      : undefined;
  if (key === "hostName") return path.at(-2) === "networking" ? value : undefined;
  return FLAGS.has(path.at(-2)) ? String(value).split("--hostname=")[1] : undefined;
}

/** Verbs of hostnamectl(1). */
const SETS: ReadonlySet<unknown> = new Set(["set-hostname", "hostname"]);

/** The name that a command gives, and by which of its words; undefined when it gives none. */
export function nameInCommand(command: Command): { readonly by: string; readonly name: unknown } | undefined {
  const [, verb, argument] = command.words;
  const program = programOf(command);
  if (program === "tailscale")
    return { by: "tailscale --hostname", name: option(command.words, "--hostname", "-hostname") };
  if (program === "hostnamectl") return SETS.has(verb) ? { by: program, name: argument } : undefined;
  return program === "hostname" ? { by: program, name: verb } : undefined;
}
