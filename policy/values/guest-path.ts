import { normalised } from "../reading/launches.ts";

/** Specifiers of systemd's system manager that stand for folders (systemd.unit(5), "Specifiers"). */
const FOLDERS: Readonly<Record<string, string>> = {
  "%t": "/run",
  "%S": "/var/lib",
  "%C": "/var/cache",
  "%h": "/root",
  "%T": "/tmp",
  "%V": "/var/tmp",
};

/** The absolute path that `text` stands for in the guest; undefined for one that depends on where it is used. */
export function guestPath(text: string): string | undefined {
  const folder = FOLDERS[text.slice(0, 2)];
  const path = folder === undefined ? text : folder + text.slice(2);
  return path.startsWith("/") ? normalised(path) : undefined;
}
