import { describe, expect, it } from "vitest";
import { shippedSettings } from "../../test/support/settings.ts";
import { commandSpec } from "../command/command-spec.ts";
import { launchSpec } from "../container/launch-spec.ts";
import { debianPart } from "./debian.ts";

const launch = launchSpec(shippedSettings("pve-sbx").container);
const part = (users: readonly string[]) =>
  debianPart({ name: "command", command: commandSpec(launch, users) });
const content = (users: readonly string[], path: string) =>
  part(users).files.find((file) => file.path === path)?.content;
const UNIT = "/etc/systemd/system/hermes-host-users.service";

describe("the command on a Debian guest", () => {
  it("is on everybody's PATH, beside completions where the shells look for a machine's own", () => {
    expect(part([]).files.map(({ path, mode, owner }) => `${mode} ${owner} ${path}`)).toEqual([
      "0755 root /usr/local/bin/hermes",
      "0755 root /usr/local/sbin/hermes-host-users",
      "0644 root /etc/hermes/container-mode",
      "0644 root /usr/local/share/bash-completion/completions/hermes",
      "0644 root /usr/local/share/zsh/site-functions/_hermes",
      `0644 root ${UNIT}`,
      "0644 root /etc/systemd/system/hermes-home.service",
      "0644 root /etc/systemd/system/hermes-home.path",
    ]);
  });

  it("gives its users the home at every boot, before the container creates anything in it", () => {
    expect(content(["alice", "bob"], UNIT)).toBe(
      `# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.

[Unit]
Description=Users of the command hermes
RequiresMountsFor=/var/lib/hermes
Before=hermes.service

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=900
ExecStart=/usr/local/sbin/hermes-host-users apply --unit hermes-host-users.service --state /var/lib/hermes --metadata /etc/hermes/container-mode --gid 10000 alice bob
ExecStop=/usr/local/sbin/hermes-host-users stop --unit hermes-host-users.service --state /var/lib/hermes --metadata /etc/hermes/container-mode

[Install]
WantedBy=multi-user.target
`,
    );
    expect(part([]).units).toEqual([
      { name: "hermes-host-users.service", enable: true },
      { name: "hermes-home.path", enable: true },
    ]);
  });

  it("opens the home again when Hermes has closed it, which it does at each save of credentials", () => {
    expect(content(["alice"], "/etc/systemd/system/hermes-home.path")).toContain(
      "[Path]\nPathChanged=/var/lib/hermes/auth.json\n",
    );
    const again = content(["alice"], "/etc/systemd/system/hermes-home.service");
    expect(again).toContain("PartOf=hermes-host-users.service\nAfter=hermes-host-users.service\n");
    expect(again).toContain("StartLimitIntervalSec=0\n");
    expect(again).toMatch(
      /^Type=oneshot\nTimeoutStartSec=900\nExecStartPre=\/usr\/bin\/sleep 1\nExecStart=\/usr\/local\/sbin\/hermes-host-users apply .* alice$/m,
    );
    expect(again).not.toContain("RemainAfterExit");
  });

  it("without users takes back what users had, and stays", () => {
    expect(content([], UNIT)).toMatch(/^ExecStart=\S+ apply .* --gid 10000$/m);
    expect(content([], "/usr/local/bin/hermes")).toMatch(/^#!\/bin\/sh\n/);
  });

  it("does not restart the container when its users change", () => {
    expect(part(["alice"]).units.map(({ name }) => name)).not.toContain("hermes.service");
  });
});
