import * as pulumi from "@pulumi/pulumi";
import type { Part, Readiness } from "../../parts/part.ts";
import type { Activation, Backend } from "../backend.ts";
import type { HermesGuestArgs } from "../hermes-guest.ts";

/** A NixOS microvm on a host with microvm.nix. Its settings are checked; deploying it is not there yet. */
export class MicrovmBackend implements Backend {
  readonly hostKey: pulumi.Output<string>;

  constructor(parent: pulumi.Resource, _name: string, args: HermesGuestArgs & { kind: "microvm" }) {
    throw new pulumi.ResourceError(
      `hermes:guest.kind = "microvm" (${args.hostname}): this version checks the settings of a microvm but cannot ` +
        "deploy one yet; nothing was changed. Kind proxmox can be deployed.",
      parent,
    );
  }

  install(_part: Part): void {}

  activate(_readiness: Readiness): pulumi.Output<Activation> {
    return pulumi.output({ version: "", image: "" });
  }
}
