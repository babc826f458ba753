import { describe, expect, it } from "vitest";
import { shippedSettings } from "../../test/support/settings.ts";
import { launchSpec } from "../container/launch-spec.ts";
import { dataDiskPart, debianPart, quietResolverPart } from "./debian.ts";
import { quadlet } from "./quadlet.ts";

const spec = launchSpec(shippedSettings("pve-sbx").container);

describe("quadlet", () => {
  it("renders the shipped launch spec, word for word", () => {
    expect(
      quadlet(spec),
    ).toBe(`# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.

[Unit]
Description=Hermes Agent
Wants=network-online.target
After=network-online.target
RequiresMountsFor=/var/lib/hermes
StartLimitIntervalSec=0

[Container]
ContainerName=hermes
Image=docker.io/nousresearch/hermes-agent:v2026.7.20
Pull=missing
Network=host
Environment=HERMES_DASHBOARD=1
Environment=HERMES_DASHBOARD_HOST=127.0.0.1
Environment=HERMES_DASHBOARD_PORT=9119
Volume=/var/lib/hermes:/opt/data
StopTimeout=90
Exec=gateway run

[Service]
Restart=always
RestartSec=10
TimeoutStartSec=900
TimeoutStopSec=120

[Install]
WantedBy=multi-user.target
`);
  });

  it("is the same text whatever the order of the environment", () => {
    const reversed = Object.fromEntries(Object.entries(spec.environment).reverse());
    expect(quadlet({ ...spec, environment: reversed })).toBe(quadlet(spec));
  });

  it("quotes what systemd would otherwise read as several words, a specifier or a variable", () => {
    const text = quadlet({
      ...spec,
      environment: { MOTTO: "50% of $HOME" },
      command: ["gateway", "run now", "a$X"],
    });
    expect(text).toContain('Environment="MOTTO=50%% of $$HOME"');
    expect(text).toContain('Exec=gateway "run now" a$$X');
  });

  it("renders every kind of mount", () => {
    const volumes = [
      { source: "/srv/a", target: "/a", kind: "bind" as const, readOnly: true },
      { source: "/", target: "/b", kind: "tmpfs" as const },
      { source: "/", target: "/c", kind: "anonymous" as const },
    ];
    expect(quadlet({ ...spec, volumes })).toContain("Volume=/srv/a:/a:ro\nTmpfs=/b\nVolume=/c\n");
  });
});

describe("debianPart", () => {
  it("pulls the image before anything changes and leaves enabling to the generator", () => {
    expect(debianPart({ name: "container", launch: spec })).toMatchObject({
      images: [spec.image],
      packages: ["podman"],
      units: [{ name: "hermes.service", enable: false }],
    });
  });
});

describe("quietResolverPart", () => {
  it("turns off what answers neighbours, and restarts the resolver for it", () => {
    const part = quietResolverPart();
    expect(part.files[0]?.content).toMatch(/\[Resolve\]\nLLMNR=no\nMulticastDNS=no\n$/);
    expect(part.units).toEqual([{ name: "systemd-resolved.service", enable: false }]);
  });
});

describe("dataDiskPart", () => {
  const part = dataDiskPart({ serial: "hermes-data", mountPoint: "/var/lib/hermes" });
  const text = (suffix: string) => part.files.find(({ path }) => path.endsWith(suffix))?.content;

  it("finds the disk by its serial and nowhere by /dev/sdX", () => {
    expect(text("90-hermes-data.rules")).toContain(
      'ENV{ID_SCSI_SERIAL}=="hermes-data", SYMLINK+="disk/by-id/hermes-data"',
    );
    expect(text("var-lib-hermes.mount")).toContain("What=/dev/disk/by-id/hermes-data\n");
    expect(JSON.stringify(part)).not.toMatch(/\/dev\/[sv]d/);
  });

  it("formats only through systemd-makefs, which leaves a disk with any signature alone", () => {
    const commands = part.files.flatMap(({ content }) => content.match(/^ExecStart=.*/gm) ?? []);
    expect(commands).toEqual([
      "ExecStart=/usr/lib/systemd/systemd-makefs ext4 /dev/disk/by-id/hermes-data",
      "ExecStart=/usr/lib/systemd/systemd-growfs /var/lib/hermes",
    ]);
  });
});
