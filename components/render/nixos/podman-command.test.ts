import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/nix.ts";
import {
  type MicrovmSettings,
  microvmSettings,
  ofMicrovm,
} from "../../../test/support/nixos/arbitrary-settings.ts";
import { evaluatedOption, renderedFlake } from "../../../test/support/nixos/evaluated-flakes.ts";
import { shippedSettings } from "../../../test/support/settings.ts";

const startScripts = (all: readonly MicrovmSettings[]) =>
  evaluatedOption(all.map(renderedFlake), "systemd.services.hermes.script").map(String);

/** What each script would call podman with: a real shell runs it, a stand-in for podman writes its arguments. */
function podmanArguments(scripts: readonly string[]): string[][] {
  using folder = temporaryFolder();
  const podman = join(folder.path, "podman");
  writeFileSync(podman, "#!/bin/sh\nprintf '%s\\0' \"$@\"\n", { mode: 0o755 });
  const all = scripts.map((script) => `(\n${script}\n)\nprintf 'END\\0'\n`).join("");
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-eu"], {
    input: all,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    env: { PATH: `${folder.path}:/usr/bin:/bin`, HOME: "/nowhere" },
  });
  if (status !== 0) throw new Error(stderr);
  const calls: string[][] = [[]];
  for (const word of stdout.split("\0").slice(0, -1)) {
    if (word === "END") calls.push([]);
    else calls.at(-1)?.push(word);
  }
  return calls.slice(0, -1);
}

/** The command line, in the order of NixOS' virtualisation.oci-containers. */
function expectedArguments({ container }: MicrovmSettings): string[] {
  const given = { HERMES_HOME_MODE: "2770", ...container.environment };
  const environment = Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const mounts = container.volumes.flatMap(({ kind, source, target, readOnly }) => {
    if (kind === "tmpfs") return [];
    return ["-v", kind === "anonymous" ? target : `${source}:${target}${readOnly === true ? ":ro" : ""}`];
  });
  const tmpfs = container.volumes.filter(({ kind }) => kind === "tmpfs");
  return [
    "run",
    "--name=hermes",
    "--log-driver=journald",
    "--cidfile=/run/hermes/ctr-id",
    "--cgroups=enabled",
    "--sdnotify=conmon",
    "-d",
    "--replace",
    ...environment.flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...mounts,
    "--rm",
    "--pull",
    "missing",
    "--network=host",
    "--stop-timeout=90",
    ...tmpfs.map(({ target }) => `--tmpfs=${target}`),
    container.image,
    ...container.command,
  ];
}

describe("the container's start script", () => {
  it("calls podman as the shipped stack says, word for word", () => {
    const [script = ""] = startScripts([ofMicrovm(shippedSettings("chopper"))]);
    expect(podmanArguments([script])[0]?.join(" ")).toBe(
      "run --name=hermes --log-driver=journald --cidfile=/run/hermes/ctr-id --cgroups=enabled --sdnotify=conmon -d " +
        "--replace -e HERMES_DASHBOARD=1 -e HERMES_DASHBOARD_HOST=127.0.0.1 -e HERMES_DASHBOARD_PORT=9119 " +
        "-e HERMES_HOME_MODE=2770 -v /var/lib/hermes:/opt/data --rm --pull missing --network=host --stop-timeout=90 " +
        "docker.io/nousresearch/hermes-agent:v2026.7.20 gateway run",
    );
  });

  it("hands podman every value of a hundred generated configurations as it stands", () => {
    const generated = fc.sample(microvmSettings, 100);
    const calls = podmanArguments(startScripts(generated));
    expect(calls).toHaveLength(100);
    generated.forEach((settings, index) => {
      expect(calls[index]).toEqual(expectedArguments(settings));
    });
  });
});
