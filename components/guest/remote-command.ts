import { createHash } from "node:crypto";
import { remote, type types } from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";

export interface RemoteCommandArgs {
  readonly connection: types.input.remote.ConnectionArgs;
  /** Runs when the command is made and again when it changes: safe to run twice. */
  readonly run: string;
  readonly stdin: pulumi.Input<string>;
  /** Takes out what `run` put in. Default: nothing is dialled. */
  readonly remove?: string | undefined;
}

/** One command over SSH, its payload on stdin: a changed payload is an update, an unchanged one opens no connection. */
export function remoteCommand(
  name: string,
  { connection, run, stdin, remove }: RemoteCommandArgs,
  options: pulumi.CustomResourceOptions,
): remote.Command {
  return new remote.Command(
    name,
    {
      connection,
      create: run,
      // Without `update` a change would run `create` again too; said here so that nobody has to know.
      update: run,
      stdin,
      addPreviousOutputInEnv: false,
      // What a command has to tell people stands on stderr; stdout is for the program.
      logging: "stderr",
      ...(remove === undefined ? {} : { delete: remove }),
    },
    options,
  );
}

/**
 * Writes an executable from stdin: complete (a broken connection must not leave half of it), at once.
 * @param after shell commands to run when it is there.
 */
export function putExecutable(path: string, content: string, after: readonly string[] = []): string {
  const steps = [
    "set -eu",
    "umask 022",
    `mkdir -p ${folderOf(path)}`,
    `cat > ${path}.new`,
    `echo "${sha256(content)}  ${path}.new" | sha256sum --check --quiet`,
    `chmod 0755 ${path}.new`,
    `mv -f ${path}.new ${path}`,
    ...after,
  ];
  return `sudo -n sh -c '${steps.join("; ")}'`;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
