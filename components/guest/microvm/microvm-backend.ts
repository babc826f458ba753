import type { remote, types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { MicrovmGuestSettings } from "../../config/microvm-guest.ts";
import type { Part, Readiness } from "../../parts/part.ts";
import { commandFiles } from "../../render/nixos/command.ts";
import { containerFile } from "../../render/nixos/container.ts";
import { flakeFile } from "../../render/nixos/flake.ts";
import type { FlakeFile } from "../../render/nixos/flake-file.ts";
import { guestFolder } from "../../render/nixos/host-paths.ts";
import { machineFile } from "../../render/nixos/machine.ts";
import { probeFile } from "../../render/nixos/probe.ts";
import { tailscaleFile } from "../../render/nixos/tailscale.ts";
import { usersFile } from "../../render/nixos/users.ts";
import { readScript } from "../../scripts.ts";
import type { Activation, Backend } from "../backend.ts";
import type { HermesGuestArgs } from "../hermes-guest.ts";
import { folderOf, putExecutable, remoteCommand, sha256 } from "../remote-command.ts";
import { activationRequest, type StagedFile } from "./activation-request.ts";
import { hostTool } from "./host-tool.ts";
import { MicrovmRecord } from "./microvm-record.ts";

export type MicrovmArgs = HermesGuestArgs & MicrovmGuestSettings;

/** What the host tool prints after an activation. */
interface HostActivation extends Activation {
  /** SSH host key of the guest, which the host learnt from the guest's console. */
  readonly hostKey: string;
}

/**
 * A NixOS microvm on a host with microvm.nix, reached over SSH with the host's key pinned. Each file of the guest's
 * flake is staged by a command of its own; one activation builds the flake, restarts the guest when what was built is
 * something else than what runs, and waits for Hermes. What the commands run is `scripts/host/hermes-microvm`.
 */
export class MicrovmBackend implements Backend {
  readonly #parent: pulumi.Resource;
  readonly #name: string;
  readonly #args: MicrovmArgs;
  readonly #host: { readonly name: string; readonly key: string };
  readonly #connection: types.input.remote.ConnectionArgs;
  readonly #tool: remote.Command;
  readonly #files: FlakeFile[] = [];
  readonly #staged: remote.Command[] = [];
  readonly hostKey: pulumi.Output<string>;
  readonly #learnHostKey: (key: pulumi.Output<string>) => void;

  constructor(parent: pulumi.Resource, name: string, args: MicrovmArgs) {
    const { ssh, hostname, onDestroy } = args;
    if (ssh?.host === undefined || ssh.user === undefined || ssh.hostKey === undefined) {
      const message = "ssh with host, user and hostKey of the NixOS host is required for a microvm guest";
      throw new pulumi.ResourceError(message, parent);
    }
    this.#parent = parent;
    this.#name = name;
    this.#args = args;
    this.#host = { name: ssh.host, key: ssh.hostKey };
    this.#connection = {
      host: ssh.host,
      port: ssh.port ?? 22,
      user: ssh.user,
      privateKey: pulumi.secret(ssh.privateKey),
      hostKey: ssh.hostKey,
      perDialTimeout: 15,
    };
    // The key is known when the guest has been activated, and a component's outputs are registered before.
    const { promise, resolve } = Promise.withResolvers<pulumi.Output<string>>();
    this.#learnHostKey = resolve;
    this.hostKey = pulumi.output(promise);
    const tool = hostTool(hostname);
    const script = readScript("host/hermes-microvm");
    this.#tool = remoteCommand(
      `${name}-tool`,
      {
        connection: this.#connection,
        run: putExecutable(tool, script),
        stdin: script,
        remove: removeGuest(hostname, onDestroy),
      },
      { parent, protect: onDestroy === "refuse" },
    );
    this.#stage(machineFile(args));
    this.#stage(usersFile(args.admin));
    const tailscale = tailscaleFile(args);
    if (tailscale !== undefined) this.#stage(tailscale);
  }

  /** @throws ResourceError for a part of plain files: it has no NixOS form. */
  install(part: Part): void {
    if ("launch" in part) {
      this.#stage(containerFile(part.launch));
    } else if ("command" in part) {
      for (const file of commandFiles(part.command)) this.#stage(file);
    } else {
      throw new pulumi.ResourceError(`the part ${part.name} has no form for NixOS`, this.#parent);
    }
  }

  activate(readiness: Readiness): pulumi.Output<Activation> {
    const { hostname } = this.#args;
    this.#stage(probeFile(readiness));
    this.#stage({ name: "hermes-probe", text: readScript("guest/hermes-probe") });
    const modules = this.#files.map(({ name }) => name).filter((name) => name.endsWith(".nix"));
    this.#stage(flakeFile(this.#args, modules));
    // What `stage` printed of each file, with a revision that grows. After a failed activation a person may go back
    // to the texts of before: their digests alone would be the known ones, and nothing would run.
    const staged = pulumi
      .all(this.#staged.map((command) => command.stdout))
      .apply((lines) => lines.map((line) => JSON.parse(line) as StagedFile));
    const activation = remoteCommand(
      `${this.#name}-activate`,
      {
        connection: this.#connection,
        run: `sudo -n ${hostTool(hostname)} activate ${hostname}`,
        stdin: staged.apply((files) => activationRequest(this.#args, files, readiness)),
      },
      { parent: this.#parent, dependsOn: [this.#tool, ...this.#staged] },
    );
    this.#record(activation);
    const result = activation.stdout.apply((line) => JSON.parse(line) as HostActivation);
    this.#learnHostKey(result.hostKey);
    return result;
  }

  /** A file has no `delete`: an activation takes out what it does not name, and the tool's `delete` everything. */
  #stage({ name, text }: FlakeFile): void {
    const { hostname } = this.#args;
    this.#files.push({ name, text });
    const command = remoteCommand(
      `${this.#name}-${name}`,
      {
        connection: this.#connection,
        run: `sudo -n ${hostTool(hostname)} stage ${hostname} ${name} ${sha256(text)}`,
        stdin: text,
      },
      { parent: this.#parent, dependsOn: this.#tool },
    );
    this.#staged.push(command);
  }

  /** After the activation, so that it holds what is in force. In a preview it tells what a change will do. */
  #record(activation: remote.Command): void {
    const { hostname, disks } = this.#args;
    const files = Object.fromEntries(this.#files.map(({ name, text }) => [name, sha256(text)]));
    const record = new MicrovmRecord(
      `${this.#name}-record`,
      { hostname, host: this.#host, disks, files },
      { parent: this.#parent, dependsOn: activation },
    );
    if (!pulumi.runtime.isDryRun()) return;
    record.effect.apply((effect) => {
      if (effect) pulumi.log.info(effect, this.#parent);
    });
  }
}

/**
 * Stands with the tool, which is made first and deleted last: an activation that failed is no resource of the state, and
 * its guest may run all the same.
 */
function removeGuest(hostname: string, onDestroy: MicrovmArgs["onDestroy"]): string {
  const tool = hostTool(hostname);
  const data = onDestroy === "delete-data" ? "delete-data" : "keep-data";
  const steps = [
    `if [ -x ${tool} ]; then ${tool} destroy ${hostname} ${data}; fi`,
    `rm -rf ${folderOf(tool)}`,
    `rmdir ${guestFolder(hostname)} 2> /dev/null || true`,
  ];
  return `sudo -n sh -ec '${steps.join("; ")}'`;
}
