import * as pulumi from "@pulumi/pulumi";
import { commandSpec } from "../command/command-spec.ts";
import type { ContainerSettings } from "../config/schema.ts";
import type { Part, Readiness } from "../parts/part.ts";
import { dashboardAddress, launchSpec } from "./launch-spec.ts";

export interface HermesContainerArgs extends ContainerSettings {
  /** Seconds a deploy waits for the dashboard; default of the config: 600. */
  readonly readyTimeoutSeconds: number;
  /** Users of the guest that share Hermes' home and whose command `hermes` runs in the container. Default: none. */
  readonly hostUsers?: readonly string[];
}

/**
 * The launch of the official image, as one spec. It makes no resource of its own: a guest installs its `part` and
 * waits for its `readiness`. The args reach policy packs as they are.
 */
export class HermesContainer extends pulumi.ComponentResource {
  readonly part: Part;
  /** The command `hermes` in the guest. Installed before `part`, it prepares the home that both share. */
  readonly command: Part;
  readonly readiness: Readiness;
  /** Host and port of the dashboard inside the guest. */
  readonly dashboard: string;

  constructor(name: string, args: HermesContainerArgs, options?: pulumi.ComponentResourceOptions) {
    super("hermes:index:HermesContainer", name, { ...args }, options);
    const { readyTimeoutSeconds, hostUsers = [], ...settings } = args;
    const launch = launchSpec(settings, hostUsers);
    this.part = { name: "container", launch };
    this.command = { name: "command", command: commandSpec(launch, hostUsers) };
    this.readiness = {
      unit: `${launch.name}.service`,
      url: `http://${dashboardAddress(launch)}/api/status`,
      timeoutSeconds: readyTimeoutSeconds,
    };
    this.dashboard = dashboardAddress(launch);
    this.registerOutputs({ image: launch.image, dashboard: this.dashboard });
  }
}
