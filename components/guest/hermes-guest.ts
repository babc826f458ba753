import * as pulumi from "@pulumi/pulumi";
import { closedPlacement } from "../../policy/values/placement.ts";
import type { MicrovmGuestSettings } from "../config/microvm-guest.ts";
import type { ProxmoxGuestSettings } from "../config/proxmox-guest.ts";
import type { Settings } from "../config/schema.ts";
import { cidr } from "../config/values.ts";
import type { Part, Readiness } from "../parts/part.ts";
import type { Activation, Backend } from "./backend.ts";
import { MicrovmBackend } from "./microvm/microvm-backend.ts";
import { ProxmoxBackend } from "./proxmox/proxmox-backend.ts";

/** The guest's settings as they stand under `hermes:guest`, with how to log in. */
export type HermesGuestArgs = (ProxmoxGuestSettings | MicrovmGuestSettings) & {
  /** Login with sudo, made at the first boot. */
  readonly admin: Settings["admin"];
  /** Deploy key and where it is used: the guest for kind proxmox, the NixOS host for kind microvm. Required. */
  readonly ssh?: Settings["ssh"];
};

/**
 * The machine that Hermes runs in: a NixOS microvm or a Proxmox VM, by `kind`. Parts are put in place with
 * `install` and become live together with `activate`.
 */
export class HermesGuest extends pulumi.ComponentResource {
  readonly #backend: Backend;
  readonly hostname: string;
  /** The guest's address, without the prefix. */
  readonly address: string;
  readonly hostKey: pulumi.Output<string>;

  constructor(name: string, args: HermesGuestArgs, options?: pulumi.ComponentResourceOptions) {
    super("hermes:index:HermesGuest", name, secretly(args), options);
    const closed = args.kind === "proxmox" ? closedPlacement(args.placement) : undefined;
    if (closed !== undefined) {
      const warning = `the placement gate is closed (${closed}); the policy pack refuses this: --policy-pack policy`;
      pulumi.log.warn(warning, this);
    }
    this.hostname = args.hostname;
    this.address = cidr(args.address)?.address ?? args.address;
    this.#backend =
      args.kind === "proxmox" ? new ProxmoxBackend(this, name, args) : new MicrovmBackend(this, name, args);
    this.hostKey = this.#backend.hostKey;
    this.registerOutputs({ hostname: this.hostname, address: this.address, hostKey: this.hostKey });
  }

  /** Puts a part in place; nothing live changes until `activate`. */
  install(part: Part): void {
    this.#backend.install(part);
  }

  /** Makes all installed parts live at once. The deploy fails, and the previous version comes back, when Hermes does not answer. */
  activate(readiness: Readiness): pulumi.Output<Activation> {
    return this.#backend.activate(readiness);
  }
}

/** The args as policies and the state see them: the deploy key marked secret. */
function secretly(args: HermesGuestArgs): pulumi.Inputs {
  if (args.ssh === undefined) return { ...args };
  return { ...args, ssh: { ...args.ssh, privateKey: pulumi.secret(args.ssh.privateKey) } };
}
