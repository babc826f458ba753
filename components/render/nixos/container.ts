import type { LaunchSpec } from "../../container/launch-spec.ts";
import { Commented, nixFile } from "../nix.ts";
import type { FlakeFile } from "./flake-file.ts";

/** The container as a service of NixOS, with the same behaviour as the Quadlet unit of a Debian guest. */
export function containerFile(launch: LaunchSpec): FlakeFile {
  const { name, volumes } = launch;
  const environment = Object.entries(launch.environment).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const tmpfs = volumes.filter((volume) => volume.kind === "tmpfs");
  const binds = volumes.filter((volume) => volume.kind === "bind");
  const text = nixFile({
    virtualisation: {
      "oci-containers": {
        backend: "podman",
        containers: {
          [name]: {
            serviceName: new Commented("The unit's name on every kind of guest.", name),
            image: launch.image,
            environment: Object.fromEntries(environment),
            volumes: volumes.filter((volume) => volume.kind !== "tmpfs").map(mount),
            extraOptions: new Commented(
              "Hermes closes its databases on SIGTERM; podman's own 10 s are short for a busy agent.",
              [
                `--network=${launch.network}`,
                "--stop-timeout=90",
                ...tmpfs.map((volume) => `--tmpfs=${volume.target}`),
              ],
            ),
            cmd: launch.command,
          },
        },
      },
    },
    systemd: {
      services: {
        [name]: {
          unitConfig:
            binds.length === 0
              ? undefined
              : new Commented("Without its disk podman would start Hermes on an empty folder.", {
                  RequiresMountsFor: binds.map((volume) => volume.source),
                }),
          startLimitIntervalSec: new Commented(
            "Tried for ever, 10 s apart: the network or the registry may come back.",
            0,
          ),
          serviceConfig: { RestartSec: 10 },
        },
      },
    },
  });
  return { name: "container.nix", text };
}

function mount(volume: LaunchSpec["volumes"][number]): string {
  if (volume.kind === "anonymous") return volume.target;
  return `${volume.source}:${volume.target}${volume.readOnly === true ? ":ro" : ""}`;
}
