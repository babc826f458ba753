import * as pulumi from "@pulumi/pulumi";
import type { Backend } from "../backend.ts";
import type { HermesGuestArgs } from "../hermes-guest.ts";

/**
 * A NixOS microvm on a host with microvm.nix. Its settings are checked; deploying it is not there yet.
 * @throws ResourceError always.
 */
export function microvmBackend(parent: pulumi.Resource, args: HermesGuestArgs): Backend {
  throw new pulumi.ResourceError(
    `hermes:guest.kind = "microvm" (${args.hostname}): this version checks the settings of a microvm but cannot ` +
      "deploy one yet; nothing was changed. Kind proxmox can be deployed.",
    parent,
  );
}
