import * as pulumi from "@pulumi/pulumi";
import type { Activation, Backend } from "../backend.ts";
import type { HermesGuestArgs } from "../hermes-guest.ts";

/**
 * A NixOS microvm on a host with microvm.nix. Its settings are checked; deploying it is not there yet. A preview goes
 * through, so that the policy pack judges the stack in review.
 * @throws ResourceError outside a preview, always.
 */
export function microvmBackend(parent: pulumi.Resource, args: HermesGuestArgs): Backend {
  const kind = `hermes:guest.kind = "microvm" (${args.hostname})`;
  if (!pulumi.runtime.isDryRun()) {
    throw new pulumi.ResourceError(
      `${kind}: this version checks the settings of a microvm but cannot ` +
        "deploy one yet; nothing was changed. Kind proxmox can be deployed.",
      parent,
    );
  }
  pulumi.log.warn(`${kind}: this program cannot deploy a microvm yet; \`up\` stops here`, parent);
  return {
    hostKey: unknown<string>(),
    install: () => {},
    activate: () => unknown<Activation>(),
  };
}

/** An output whose value a preview cannot know. */
function unknown<T>(): pulumi.Output<T> {
  return pulumi.output<unknown>(pulumi.unknown) as pulumi.Output<T>;
}
