import type { remote, types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Part, PartFile, Readiness } from "../parts/part.ts";
import { debianPart } from "../render/debian.ts";
import { readScript } from "../scripts.ts";
import type { Activation } from "./backend.ts";
import { folderOf, putExecutable, remoteCommand } from "./remote-command.ts";
import { GUEST_TOOL } from "./tool.ts";

export interface SshInstallerArgs {
  /** The machine: when it is destroyed with the parts, nothing is dialled to take them out first. */
  readonly guest: pulumi.Resource;
  readonly connection: types.input.remote.ConnectionArgs;
}

/**
 * Installs parts on a Debian guest over SSH: one command a part, its payload on stdin. A changed part is an update
 * of its command, an unchanged one opens no connection. What the commands run is `scripts/guest/hermes-guest`.
 */
export class SshInstaller {
  readonly #parent: pulumi.Resource;
  readonly #name: string;
  readonly #args: SshInstallerArgs;
  readonly #tool: remote.Command;
  readonly #parts: remote.Command[] = [];

  constructor(parent: pulumi.Resource, name: string, args: SshInstallerArgs) {
    this.#parent = parent;
    this.#name = name;
    this.#args = args;
    const script = readScript("guest/hermes-guest");
    this.#tool = this.#command(
      `${name}-tool`,
      // A guest that boots for the first time is waited for, since cloud-init still changes it.
      putExecutable(GUEST_TOOL, script, ["cloud-init status --wait > /dev/null 2>&1 || true"]),
      script,
      `sudo -n rm -rf ${folderOf(GUEST_TOOL)}`,
      [args.guest],
    );
  }

  install(part: Part): void {
    const payload = stagePayload(debianPart(part));
    const command = this.#command(
      `${this.#name}-${part.name}`,
      `sudo -n ${GUEST_TOOL} stage ${part.name}`,
      payload,
      `sudo -n ${GUEST_TOOL} remove ${part.name}`,
      [this.#tool],
    );
    this.#parts.push(command);
  }

  activate(readiness: Readiness): pulumi.Output<Activation> {
    // What `stage` said of each part: name, digest and a revision that grows. After a failed activation a person may
    // go back to the parts of before: their digests alone would be the known ones, and nothing would run.
    const staged = pulumi.all(this.#parts.map((command) => command.stdout));
    const stdin = staged.apply((lines) =>
      json({ parts: lines.map((line) => JSON.parse(line)), ready: readiness }),
    );
    const command = this.#command(
      `${this.#name}-activate`,
      `sudo -n ${GUEST_TOOL} activate`,
      stdin,
      undefined,
      this.#parts,
    );
    return command.stdout.apply((line) => JSON.parse(line) as Activation);
  }

  #command(
    name: string,
    run: string,
    stdin: pulumi.Input<string>,
    remove: string | undefined,
    dependsOn: pulumi.Resource[],
  ): remote.Command {
    const { connection, guest } = this.#args;
    return remoteCommand(
      name,
      { connection, run, stdin, remove },
      { parent: this.#parent, dependsOn, deletedWith: guest },
    );
  }
}

/** A part as `hermes-guest stage` reads it. Contents stand line by line, so that a preview's diff can be read. */
function stagePayload(part: ReturnType<typeof debianPart>): string {
  const files = part.files.map((file: PartFile) => ({ ...file, content: file.content.split("\n") }));
  return json({ ...part, files });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
