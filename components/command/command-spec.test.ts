import { describe, expect, it } from "vitest";
import { shippedSettings } from "../../test/support/settings.ts";
import { launchSpec } from "../container/launch-spec.ts";
import { commandSpec } from "./command-spec.ts";

const { container } = shippedSettings("pve-sbx");

describe("commandSpec", () => {
  it("tells the command whose container it is, so that nothing has to be probed", () => {
    expect(commandSpec(launchSpec(container), []).metadata).toBe(
      `# Written by the Pulumi project "hermes" for the command hermes. A deploy overwrites a change here.
backend=podman
container_name=hermes
exec_user=hermes
hermes_bin=/opt/hermes/bin/hermes
owner=root
unit=hermes.service
`,
    );
  });

  it("shares the folder that is /opt/data in the container", () => {
    const volumes = [
      { source: "/srv/cache", target: "/cache", kind: "bind" },
      { source: "/srv/hermes", target: "/opt/data", kind: "bind" },
    ] as const;
    const launch = launchSpec({ ...container, volumes: [...volumes] });
    expect(commandSpec(launch, []).stateFolder).toBe("/srv/hermes");
  });

  it("gives the home to the group that the image's user has, remapped or not", () => {
    expect(commandSpec(launchSpec(container), []).gid).toBe(10_000);
    const environment = { ...container.environment, HERMES_GID: "2000" };
    expect(commandSpec(launchSpec({ ...container, environment }), []).gid).toBe(2000);
  });
});

describe("launchSpec", () => {
  it("has Hermes keep its home open to the group while users share it, unless the configuration says otherwise", () => {
    expect(launchSpec(container, ["alice"]).environment["HERMES_HOME_MODE"]).toBe("2770");
    expect(launchSpec(container, []).environment).not.toHaveProperty("HERMES_HOME_MODE");
    const environment = { ...container.environment, HERMES_HOME_MODE: "2750" };
    expect(launchSpec({ ...container, environment }, ["alice"]).environment["HERMES_HOME_MODE"]).toBe("2750");
  });
});
