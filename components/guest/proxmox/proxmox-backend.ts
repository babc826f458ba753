import * as pulumi from "@pulumi/pulumi";
import type { ProxmoxGuestSettings } from "../../config/proxmox-guest.ts";
import { cidr } from "../../config/values.ts";
import type { Part, Readiness } from "../../parts/part.ts";
import { dataDiskPart, quietResolverPart } from "../../render/debian.ts";
import type { Activation, Backend } from "../backend.ts";
import type { HermesGuestArgs } from "../hermes-guest.ts";
import { SshInstaller } from "../ssh-installer.ts";
import { GuestHostKey } from "./host-key.ts";
import { DATA_SERIAL, virtualMachine } from "./virtual-machine.ts";

export type ProxmoxArgs = HermesGuestArgs & ProxmoxGuestSettings;

/** A Debian VM on a Proxmox VE cluster, reached over SSH with a pinned host key. */
export class ProxmoxBackend implements Backend {
  readonly #installer: SshInstaller;
  readonly hostKey: pulumi.Output<string>;

  constructor(parent: pulumi.Resource, name: string, args: ProxmoxArgs) {
    const { ssh } = args;
    if (ssh === undefined) throw new pulumi.ResourceError("ssh is required for a proxmox guest", parent);
    const vm = virtualMachine(parent, name, args);
    this.hostKey =
      args.hostKey === undefined
        ? new GuestHostKey(
            `${name}-host-key`,
            {
              nodeName: args.nodeName,
              vmId: args.vmId,
              // A VM that was made anew has a new MAC, and a new host key. The network device's own: what the agent
              // reports besides (bridges, pods) comes and goes.
              incarnation: vm.networkDevices.apply((devices) => devices[0]?.macAddress ?? ""),
            },
            { parent, dependsOn: vm, deletedWith: vm },
          ).hostKey
        : vm.id.apply(() => args.hostKey ?? "");
    this.#installer = new SshInstaller(parent, name, {
      guest: vm,
      connection: {
        host: ssh.host ?? cidr(args.address)?.address ?? args.address,
        port: ssh.port ?? 22,
        user: args.admin.user,
        privateKey: pulumi.secret(ssh.privateKey),
        hostKey: this.hostKey,
        // sshd restarts during a first boot: about a minute of refused connections is waited for.
        dialErrorLimit: 20,
        perDialTimeout: 15,
      },
    });
    this.install(quietResolverPart());
    for (const disk of args.disks.filter((disk) => disk.persistent)) {
      this.install(dataDiskPart({ serial: DATA_SERIAL, mountPoint: disk.mountPoint }));
    }
  }

  install(part: Part): void {
    this.#installer.install(part);
  }

  activate(readiness: Readiness): pulumi.Output<Activation> {
    return this.#installer.activate(readiness);
  }
}
