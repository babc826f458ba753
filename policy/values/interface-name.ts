import type { Setting } from "../reading/content.ts";

/** Linux: IFNAMSIZ is 16, with the end of the string (microvm.nix asserts the same). */
export const LONGEST_INTERFACE = 15;

/** Whether a setting names the host's side of a microvm's interface: `microvm.interfaces = [ { id = …; } ]`. */
export const namesInterface = ({ path }: Setting): boolean =>
  path.at(-1) === "id" && path.at(-3) === "interfaces" && path.at(-4) === "microvm";

/** Bytes of a name, where it has more than an interface's name may have. */
export function excessiveLength(name: unknown): number | undefined {
  const bytes = typeof name === "string" ? Buffer.byteLength(name) : 0;
  return bytes > LONGEST_INTERFACE ? bytes : undefined;
}
