import { describe, expect, it } from "vitest";
import { launchSpec } from "../components/container/launch-spec.ts";
import { quadlet } from "../components/render/quadlet.ts";
import { shippedSettings } from "../test/support/settings.ts";
import { loopbackDashboard } from "./gates/loopback-dashboard.ts";
import { noPublishedPort } from "./gates/no-published-port.ts";
import { persistentData } from "./gates/persistent-data.ts";
import { pinnedImage } from "./gates/pinned-image.ts";
import { sandboxedTools } from "./gates/sandboxed-tools.ts";
import type { Gate } from "./pack/gate.ts";
import type { Case } from "./testing/cases.ts";
import { judgeCase } from "./testing/judge-case.ts";
import { nix, part, remote } from "./testing/notations.ts";

const gates = [
  pinnedImage,
  persistentData,
  loopbackDashboard,
  noPublishedPort,
  sandboxedTools,
] as readonly Gate[];

const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";
/** What people write by hand for Hermes in a guest of their own. */
const handwritten: readonly (readonly [string, Case["resources"]])[] = [
  [
    "a plain `podman run`",
    remote(
      `podman run -d --replace --name hermes --network=host -v /var/lib/hermes:/opt/data -e HERMES_DASHBOARD=1 -e HERMES_DASHBOARD_HOST=127.0.0.1 -e HERMES_DASHBOARD_PORT=9119 ${IMAGE} gateway run`,
    ),
  ],
  [
    "a microvm's module",
    nix(`networking.hostName = "vm-hermes";
  microvm = {
    shares = [ { tag = "ro-store"; source = "/nix/store"; mountPoint = "/nix/.ro-store"; proto = "virtiofs"; } ];
    volumes = [
      { image = "state.img"; mountPoint = "/var/lib"; size = 1024; }
      { image = "containers.img"; mountPoint = "/var/lib/containers"; size = 32768; }
      { image = "hermes.img"; mountPoint = "/var/lib/hermes"; size = 32768; }
    ];
  };
  virtualisation.oci-containers = {
    backend = "podman";
    containers.hermes = {
      image = "${IMAGE}";
      cmd = [ "gateway" "run" ];
      volumes = [ "/var/lib/hermes:/opt/data" ];
      environment = { HERMES_DASHBOARD = "1"; HERMES_DASHBOARD_HOST = "127.0.0.1"; HERMES_DASHBOARD_PORT = "9119"; };
      extraOptions = [ "--network=host" ];
    };
  };`),
  ],
];

describe.each(gates.map((gate) => [gate.id, gate] as const))("the gate %s", (_id, gate) => {
  it.each(["chopper", "pve-sbx"])("lets through what the stack %s deploys", async (stack) => {
    const { guest, container } = shippedSettings(stack);
    const unit = part("/etc/containers/systemd/hermes.container", quadlet(launchSpec(container)));
    const resources: Case["resources"] = [
      { type: "hermes:index:HermesGuest", name: "guest", props: { ...guest } },
      { type: "hermes:index:HermesContainer", name: "hermes", props: { ...container } },
      { ...unit[0], name: "unit" },
    ];
    expect(await judgeCase(gate, { title: stack, resources })).toEqual([]);
  });

  it.each(handwritten)("lets through Hermes as %s", async (title, resources) => {
    expect(await judgeCase(gate, { title, resources })).toEqual([]);
  });
});
