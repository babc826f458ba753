/** Why a folder cannot be written, and the way out: instead of the system's bare error code. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ask } from "./commands.ts";
import { quote } from "./quote.ts";

/** The error that a person should see in the place of `error`, which came of writing below `folder`. */
export function unwritable(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const existing = nearest(folder);
  switch (code) {
    case "EACCES":
    case "EPERM": {
      const owner = ask("stat", ["-c", "%U", existing]) ?? "somebody else";
      return new Error(
        `Cannot write to ${existing}, which belongs to ${owner}: run this as ${owner}, or make it yours: sudo chown -R "$(id -un)" ${quote(existing)}`,
      );
    }
    case "EROFS":
      return new Error(
        `Cannot write to ${existing}: its file system is read-only. Mount it writable, or clone the project elsewhere.`,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new Error(
        `Cannot write to ${existing}: the disk is full (df -h and df -i say how). Free some space, then run the same command again.`,
      );
    default:
      return error;
  }
}

/** The folder, or the nearest above it that exists: that one refuses. */
const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));
