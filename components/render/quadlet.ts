import type { LaunchSpec } from "../container/launch-spec.ts";
import { commandWord, type Section, unitFile, withoutSpecifiers, word } from "./systemd.ts";

/**
 * The Quadlet unit of a container (podman-systemd.unit(5)).
 *
 * `RequiresMountsFor` keeps the container down while a bind's disk is not mounted: without it podman would make the
 * folder on the root disk and Hermes would start on an empty home. `Pull=missing` comes into play only when the
 * image was removed by hand: a deploy pulls it beforehand. Quadlet writes environment and arguments into the
 * service's command line as they stand, so systemd would expand variables in them (podman#25047).
 */
export function quadlet(spec: LaunchSpec): string {
  const binds = spec.volumes.filter((volume) => volume.kind === "bind").map((volume) => volume.source);
  const environment = Object.entries(spec.environment)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ["Environment", commandWord(`${key}=${value}`)] as const);
  const sections: Section[] = [
    [
      "Unit",
      [
        ["Description", "Hermes Agent"],
        ["Wants", "network-online.target"],
        ["After", "network-online.target"],
        ...(binds.length > 0 ? [["RequiresMountsFor", binds.map(word).join(" ")] as const] : []),
        // A container that fails at once is tried for ever, 10 s apart: the network or the registry may come back.
        ["StartLimitIntervalSec", "0"],
      ],
    ],
    [
      "Container",
      [
        ["ContainerName", spec.name],
        ["Image", withoutSpecifiers(spec.image)],
        ["Pull", "missing"],
        ["Network", spec.network],
        ...environment,
        ...spec.volumes.map(mount),
        // Hermes closes its databases on SIGTERM; podman's own 10 s are short for a busy agent.
        ["StopTimeout", "90"],
        ["Exec", spec.command.map(commandWord).join(" ")],
      ],
    ],
    [
      "Service",
      [
        ["Restart", "always"],
        ["RestartSec", "10"],
        ["TimeoutStartSec", "900"],
        ["TimeoutStopSec", "120"],
      ],
    ],
    ["Install", [["WantedBy", "multi-user.target"]]],
  ];
  return unitFile(sections);
}

function mount(volume: LaunchSpec["volumes"][number]): readonly [string, string] {
  const suffix = volume.readOnly === true ? ":ro" : "";
  switch (volume.kind) {
    case "bind":
      return ["Volume", word(`${volume.source}:${volume.target}${suffix}`)];
    case "tmpfs":
      return ["Tmpfs", word(`${volume.target}${suffix}`)];
    case "anonymous":
      return ["Volume", word(`${volume.target}${suffix}`)];
  }
}
