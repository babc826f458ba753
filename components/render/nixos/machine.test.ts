import { describe, expect, it } from "vitest";
import { ofMicrovm } from "../../../test/support/nixos/arbitrary-settings.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { machineFile } from "./machine.ts";

const { guest } = ofMicrovm(shippedSettings("chopper"));

describe("machineFile", () => {
  it("reads as if a person had written it", () => {
    expect(
      machineFile(guest).text,
    ).toBe(`# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.
{
  networking = {
    hostName = "vm-hermes";
    useNetworkd = true;
    useDHCP = false;
  };

  system.stateVersion = "26.05";

  microvm = {
    hypervisor = "qemu";
    vcpu = 4;
    mem = 8192;

    # The host reaches the guest over vsock, and machined lists it.
    vsock = {
      cid = 4;
      ssh.enable = true;
    };
    registerWithMachined = true;

    # The host's bridge takes the tap in by its name.
    interfaces = [
      {
        type = "tap";
        id = "vm-hermes";
        mac = "02:00:00:00:20:02";
      }
    ];

    # The guest runs from the host's store. Its virtiofsd is root on the host: not even root in the guest may write.
    shares = [
      {
        source = "/nix/store";
        mountPoint = "/nix/.ro-store";
        tag = "ro-store";
        proto = "virtiofs";
        readOnly = true;
      }
    ];

    # Sizes in MiB, taken when an image is made and never again. A name alone lies in
    # /var/lib/microvms/vm-hermes; persistent images stand outside, so that they outlive that folder.
    volumes = [
      {
        image = "/var/lib/hermes-microvm/guests/vm-hermes/images/state.img";
        label = "state";
        mountPoint = "/var/lib";
        size = 1024;
      }
      {
        image = "containers.img";
        label = "containers";
        mountPoint = "/var/lib/containers";
        size = 32768;
      }
      {
        image = "/var/lib/hermes-microvm/guests/vm-hermes/images/hermes.img";
        label = "hermes";
        mountPoint = "/var/lib/hermes";
        size = 32768;
      }
    ];

    # Files of the host, handed to systemd in the guest; none enters the Nix store.
    credentialFiles.TS_AUTHKEY = "/run/secrets/ts_key";
  };

  # In time for systemd's generators: they offer SSH over vsock only where they find it (microvm.nix#579).
  boot.initrd.kernelModules = [ "vmw_vsock_virtio_transport" ];

  systemd.network.networks."20-lan" = {
    matchConfig.MACAddress = "02:00:00:00:20:02";
    address = [ "192.168.20.51/23" ];
    gateway = [ "192.168.20.1" ];
    dns = [ "192.168.20.1" ];
  };

  # LLMNR would listen on every address. A file, since the option has another name in newer releases of NixOS.
  environment.etc."systemd/resolved.conf.d/90-hermes.conf".text = ''
    # Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.

    [Resolve]
    LLMNR=no
    MulticastDNS=no
  '';

  services.openssh = {
    enable = true;
    settings = {
      PasswordAuthentication = false;
      KbdInteractiveAuthentication = false;
      PermitRootLogin = "no";
    };

    # On a persistent disk: clients pin the key.
    hostKeys = [
      {
        path = "/var/lib/sshd/ssh_host_ed25519_key";
        type = "ed25519";
      }
    ];
  };
}
`);
  });

  it("asks the gateway for names unless there are nameservers", () => {
    expect(machineFile(guest).text).toContain('dns = [ "192.168.20.1" ];');
    const { text } = machineFile({ ...guest, nameservers: ["9.9.9.9", "1.1.1.1"] });
    expect(text).toContain('    dns = [\n      "9.9.9.9"\n      "1.1.1.1"\n    ];\n');
  });

  it("says nothing of credentials when there are none", () => {
    expect(machineFile({ ...guest, credentialFiles: {} }).text).not.toContain("credential");
  });
});
