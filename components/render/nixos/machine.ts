import type { MicrovmGuestSettings } from "../../config/microvm-guest.ts";
import { Commented, nixFile } from "../nix.ts";
import { QUIET_RESOLVER } from "../resolver.ts";
import type { FlakeFile } from "./flake-file.ts";
import { images } from "./images.ts";

/** The guest's SSH host key, on the disk mounted at /var/lib. */
export const HOST_KEY = "/var/lib/sshd/ssh_host_ed25519_key";

/** The virtual machine as microvm.nix takes it, its static network and its SSH server. */
export function machineFile(guest: MicrovmGuestSettings): FlakeFile {
  const text = nixFile({
    networking: { hostName: guest.hostname, useNetworkd: true, useDHCP: false },
    system: { stateVersion: guest.stateVersion },
    microvm: microvm(guest),
    boot: {
      initrd: {
        kernelModules: new Commented(
          "In time for systemd's generators: they offer SSH over vsock only where they find it (microvm.nix#579).",
          ["vmw_vsock_virtio_transport"],
        ),
      },
    },
    systemd: {
      network: {
        networks: {
          "20-lan": {
            matchConfig: { MACAddress: guest.mac },
            address: [guest.address],
            gateway: [guest.gateway],
            dns: guest.nameservers ?? [guest.gateway],
          },
        },
      },
    },
    environment: {
      etc: new Commented(
        "LLMNR would listen on every address. A file, since the option has another name in newer releases of NixOS.",
        { [QUIET_RESOLVER.path.replace(/^\/etc\//, "")]: { text: QUIET_RESOLVER.content } },
      ),
    },
    services: {
      openssh: {
        enable: true,
        settings: {
          PasswordAuthentication: false,
          KbdInteractiveAuthentication: false,
          PermitRootLogin: "no",
        },
        hostKeys: new Commented("On a persistent disk: clients pin the key.", [
          { path: HOST_KEY, type: "ed25519" },
        ]),
      },
    },
  });
  return { name: "machine.nix", text };
}

function microvm(guest: MicrovmGuestSettings) {
  const volumes = images(guest).map(({ name, path, mountPoint, sizeMiB }) => ({
    image: path,
    label: name,
    mountPoint,
    size: sizeMiB,
  }));
  return {
    hypervisor: guest.hypervisor,
    vcpu: guest.vcpus,
    mem: guest.memoryMiB,
    vsock: new Commented("The host reaches the guest over vsock, and machined lists it.", {
      cid: guest.vsockCid,
      ssh: { enable: true },
    }),
    registerWithMachined: true,
    interfaces: new Commented("The host's bridge takes the tap in by its name.", [
      { type: "tap", id: guest.tap, mac: guest.mac },
    ]),
    shares: new Commented(
      "The guest runs from the host's store. Its virtiofsd is root on the host: not even root in the guest may write.",
      [
        {
          source: "/nix/store",
          mountPoint: "/nix/.ro-store",
          tag: "ro-store",
          proto: "virtiofs",
          readOnly: true,
        },
      ],
    ),
    volumes: new Commented(
      `Sizes in MiB, taken when an image is made and never again. A name alone lies in
/var/lib/microvms/${guest.hostname}; persistent images stand outside, so that they outlive that folder.`,
      volumes,
    ),
    credentialFiles:
      Object.keys(guest.credentialFiles).length === 0
        ? undefined
        : new Commented("Files of the host, handed to systemd in the guest; none enters the Nix store.", {
            ...guest.credentialFiles,
          }),
  };
}
