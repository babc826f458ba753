import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type MicrovmSettings,
  microvmSettings,
  ofMicrovm,
} from "../../../test/support/nixos/arbitrary-settings.ts";
import { evaluatedFlakes, renderedFlake } from "../../../test/support/nixos/evaluated-flakes.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { commandSpec } from "../../command/command-spec.ts";
import { launchSpec } from "../../container/launch-spec.ts";

const FORCED =
  'restrict,command="exec /run/wrappers/bin/sudo -n /run/current-system/sw/bin/hermes-probe $SSH_ORIGINAL_COMMAND"';
const PROBE = new RegExp(
  `^${[
    "export HERMES_UNIT=hermes\\.service",
    "export HERMES_CONTAINER=hermes",
    "export HERMES_STATUS_URL=http://127\\.0\\.0\\.1:9119/api/status",
    'exec /bin/sh /nix/store/[0-9a-z]{32}-hermes-probe "\\$@"\n$',
  ].join("\n")}`,
);

/** What Nix must read in the files, as data. */
function expected(settings: MicrovmSettings): Record<string, unknown> {
  const { guest, admin, container, hostUsers = [admin.user] } = settings;
  const launch = launchSpec(container, hostUsers);
  const { hostname, tailscale, credentialFiles } = guest;
  const images = `/var/lib/hermes-microvm/guests/${hostname}/images`;
  const binds = container.volumes.filter(({ kind }) => kind === "bind");
  const optional = (name: string, value: object) =>
    Object.keys(value).length === 0 ? {} : { [name]: value };
  const modules = [
    "machine.nix",
    "users.nix",
    "tailscale.nix",
    "command.nix",
    "container.nix",
    "probe.nix",
  ].filter((name) => name !== "tailscale.nix" || tailscale !== undefined);
  return {
    "flake.nix": {
      description: `${hostname}: Hermes Agent in a NixOS microvm`,
      inputs: {
        nixpkgs: { url: guest.inputs.nixpkgs },
        microvm: { url: guest.inputs.microvm, inputs: { nixpkgs: { follows: "nixpkgs" } } },
      },
      outputs: {
        nixosConfigurations: { [hostname]: { system: guest.system, modules: ["microvm", ...modules] } },
      },
    },
    "machine.nix": {
      networking: { hostName: hostname, useNetworkd: true, useDHCP: false },
      system: { stateVersion: guest.stateVersion },
      boot: { initrd: { kernelModules: ["vmw_vsock_virtio_transport"] } },
      microvm: {
        hypervisor: guest.hypervisor,
        vcpu: guest.vcpus,
        mem: guest.memoryMiB,
        vsock: { cid: guest.vsockCid, ssh: { enable: true } },
        registerWithMachined: true,
        interfaces: [{ type: "tap", id: guest.tap, mac: guest.mac }],
        shares: [
          {
            source: "/nix/store",
            mountPoint: "/nix/.ro-store",
            tag: "ro-store",
            proto: "virtiofs",
            readOnly: true,
          },
        ],
        volumes: guest.disks.map(({ name, mountPoint, sizeMiB, persistent }) => ({
          image: persistent ? `${images}/${name}.img` : `${name}.img`,
          label: name,
          mountPoint,
          size: sizeMiB,
        })),
        ...optional("credentialFiles", credentialFiles),
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
        etc: {
          "systemd/resolved.conf.d/90-hermes.conf": {
            text: expect.stringMatching(/\[Resolve\]\nLLMNR=no\nMulticastDNS=no\n$/),
          },
        },
      },
      services: {
        openssh: {
          enable: true,
          settings: {
            PasswordAuthentication: false,
            KbdInteractiveAuthentication: false,
            PermitRootLogin: "no",
          },
          hostKeys: [{ path: "/var/lib/sshd/ssh_host_ed25519_key", type: "ed25519" }],
        },
      },
    },
    "users.nix": {
      users: {
        mutableUsers: false,
        users: {
          [admin.user]: {
            isNormalUser: true,
            extraGroups: ["wheel"],
            openssh: { authorizedKeys: { keys: admin.authorizedKeys } },
          },
        },
      },
      security: { sudo: { wheelNeedsPassword: false } },
    },
    ...(tailscale === undefined
      ? {}
      : {
          "tailscale.nix": {
            services: {
              tailscale: {
                enable: true,
                authKeyFile: `/run/credentials/@system/${tailscale.authKey}`,
                ...(tailscale.authKeyKind === "auth-key"
                  ? {}
                  : { authKeyParameters: { ephemeral: false, preauthorized: true } }),
                extraUpFlags: [`--advertise-tags=${tailscale.tags.join(",")}`, "--ssh"],
              },
            },
          },
        }),
    "command.nix": {
      environment: {
        systemPackages: ["/nix/store/hermes-command"],
        etc: { "hermes/container-mode": { text: commandSpec(launch, hostUsers).metadata } },
      },
      users: {
        groups: {
          hermes: { gid: Number(container.environment["HERMES_GID"] ?? 10_000), members: hostUsers },
        },
      },
      systemd: {
        services: {
          "hermes-host-users": {
            description: "Users of the command hermes",
            wantedBy: ["multi-user.target"],
            before: ["hermes.service"],
            path: ["acl", "getent", "util-linux"],
            unitConfig: { RequiresMountsFor: [commandSpec(launch, hostUsers).stateFolder] },
            serviceConfig: {
              Type: "oneshot",
              RemainAfterExit: true,
              TimeoutStartSec: 900,
              ExecStart: expect.stringMatching(
                /^\/nix\/store\/hermes-command\/bin\/hermes-host-users apply .*--declared/,
              ),
              ExecStop: expect.stringMatching(/^\/nix\/store\/hermes-command\/bin\/hermes-host-users stop /),
            },
          },
          "hermes-home": {
            description: "Hermes' home, open to its group",
            partOf: ["hermes-host-users.service"],
            after: ["hermes-host-users.service"],
            path: ["acl", "getent", "util-linux"],
            startLimitIntervalSec: 0,
            serviceConfig: {
              Type: "oneshot",
              TimeoutStartSec: 900,
              ExecStartPre: "coreutils/bin/sleep 1",
              ExecStart: expect.stringContaining("hermes-host-users apply"),
            },
          },
        },
        paths: {
          "hermes-home": {
            wantedBy: ["multi-user.target"],
            partOf: ["hermes-host-users.service"],
            after: ["hermes-host-users.service"],
            pathConfig: { PathChanged: `${commandSpec(launch, hostUsers).stateFolder}/auth.json` },
          },
        },
      },
    },
    "container.nix": {
      virtualisation: {
        "oci-containers": {
          backend: "podman",
          containers: {
            hermes: {
              serviceName: "hermes",
              image: container.image,
              environment: launch.environment,
              volumes: container.volumes
                .filter(({ kind }) => kind !== "tmpfs")
                .map(({ kind, source, target, readOnly }) =>
                  kind === "bind" ? `${source}:${target}${readOnly === true ? ":ro" : ""}` : target,
                ),
              extraOptions: [
                "--network=host",
                "--stop-timeout=90",
                ...container.volumes
                  .filter(({ kind }) => kind === "tmpfs")
                  .map(({ target }) => `--tmpfs=${target}`),
              ],
              cmd: container.command,
            },
          },
        },
      },
      systemd: {
        services: {
          hermes: {
            ...(binds.length === 0
              ? {}
              : { unitConfig: { RequiresMountsFor: binds.map(({ source }) => source) } }),
            startLimitIntervalSec: 0,
            serviceConfig: { RestartSec: 10 },
          },
        },
      },
    },
    "probe.nix": {
      users: {
        groups: { "hermes-probe": {} },
        users: {
          "hermes-probe": {
            isSystemUser: true,
            group: "hermes-probe",
            useDefaultShell: true,
            openssh: { authorizedKeys: { keys: [`${FORCED} ssh-ed25519 AAAA probe`] } },
          },
        },
      },
      environment: {
        systemPackages: [{ name: "hermes-probe", text: expect.stringMatching(PROBE) }],
      },
      systemd: {
        services: {
          "hermes-host-key": {
            description: "SSH host key on the console",
            wantedBy: ["multi-user.target"],
            script: [
              "key=/var/lib/sshd/ssh_host_ed25519_key.pub",
              'until [ -s "$key" ]; do sleep 1; done',
              "# The kernel writes on the console as well, now and then in the middle of a line.",
              "for _ in 1 2 3 4 5; do",
              `  echo "hermes-host-key $(cut -d ' ' -f 1,2 "$key")" > /dev/console`,
              "  sleep 10",
              "done",
              "",
            ].join("\n"),
          },
        },
      },
      security: {
        sudo: {
          extraRules: [
            {
              users: ["hermes-probe"],
              commands: ["status", "journal"].map((verb) => ({
                command: `/run/current-system/sw/bin/hermes-probe ${verb}`,
                options: ["NOPASSWD"],
              })),
            },
          ],
        },
      },
    },
  };
}

describe("the rendered flake", () => {
  it("holds what the shipped stack says, when Nix reads it", () => {
    const shipped = ofMicrovm(shippedSettings("chopper"));
    expect(evaluatedFlakes([renderedFlake(shipped)])).toEqual([expected(shipped)]);
  });

  it("holds what a hundred generated configurations say, when Nix reads it", () => {
    const generated = fc.sample(microvmSettings, 100);
    const read = evaluatedFlakes(generated.map(renderedFlake));
    expect(read).toHaveLength(100);
    generated.forEach((settings, index) => {
      expect(read[index], JSON.stringify(settings)).toEqual(expected(settings));
    });
  });

  it("is the same text whatever the order of the environment", () => {
    const shipped = ofMicrovm(shippedSettings("chopper"));
    const environment = Object.fromEntries(Object.entries(shipped.container.environment).reverse());
    const reversed = { ...shipped, container: { ...shipped.container, environment } };
    expect(renderedFlake(reversed)).toEqual(renderedFlake(shipped));
  });
});
