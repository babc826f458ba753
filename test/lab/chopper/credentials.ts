import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file that the machine finds when it starts, owned by root. One that it has stays as it is. */
export interface GivenFile {
  readonly path: string;
  /** Octal permission bits, as in `0600`. */
  readonly mode: string;
  readonly content: string;
}

/**
 * Writes the credential by which systemd-tmpfiles in the machine makes files: the form is that of the firmware
 * (systemd.system-credentials(7), tmpfiles.extra; tmpfiles.d(5), `f~`). Only the owner can read it.
 * @returns the file's name in `folder`.
 */
export function writeCredential(folder: string, files: readonly GivenFile[]): string {
  const lines = files.map(({ path, mode, content }) => `f~ ${path} ${mode} root root - ${base64(content)}\n`);
  const name = "tmpfiles.credential";
  const assignment = `io.systemd.credential.binary:tmpfiles.extra=${base64(lines.join(""))}`;
  writeFileSync(join(folder, name), assignment, { mode: 0o600 });
  return name;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
