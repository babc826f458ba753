import { describe, expect, it } from "vitest";
import { ofMicrovm } from "../../../test/support/nixos/arbitrary-settings.ts";
import { evaluatedOption, renderedFlake } from "../../../test/support/nixos/evaluated-flakes.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { commandSpec } from "../../command/command-spec.ts";
import { launchSpec } from "../../container/launch-spec.ts";
import { commandFiles } from "./command.ts";

const shipped = ofMicrovm(shippedSettings("chopper"));
const files = commandFiles(commandSpec(launchSpec(shipped.container), ["mhelton"]));

describe("the command of a microvm", () => {
  it("is a module that reads as written by hand", () => {
    expect(files[0]).toEqual({
      name: "command.nix",
      text: `# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.
{ pkgs, ... }:
let
  hermes = pkgs.runCommand "hermes-command" { } ''
    install -D -m 0755 \${./hermes} $out/bin/hermes
    install -D -m 0755 \${./hermes-host-users} $out/bin/hermes-host-users
    install -D -m 0644 \${./hermes.bash} $out/share/bash-completion/completions/hermes
    install -D -m 0644 \${./hermes.zsh} $out/share/zsh/site-functions/_hermes
  '';

  tools = [
    pkgs.acl
    pkgs.getent
    pkgs.util-linux
  ];
in
{
  environment = {
    systemPackages = [ hermes ];

    # How the command finds the container.
    etc."hermes/container-mode".text = ''
      # Written by the Pulumi project "hermes" for the command hermes. A deploy overwrites a change here.
      backend=podman
      container_name=hermes
      exec_user=hermes
      hermes_bin=/opt/hermes/bin/hermes
      owner=root
      unit=hermes.service
    '';
  };

  # The container's files in its home have this group.
  users.groups.hermes = {
    gid = 10000;
    members = [ "mhelton" ];
  };

  systemd = {
    services = {
      hermes-host-users = {
        description = "Users of the command hermes";
        wantedBy = [ "multi-user.target" ];
        before = [ "hermes.service" ];
        path = tools;
        unitConfig.RequiresMountsFor = [ "/var/lib/hermes" ];
        serviceConfig = {
          Type = "oneshot";
          RemainAfterExit = true;
          TimeoutStartSec = 900;
          ExecStart = "\${hermes}/bin/hermes-host-users apply --unit hermes-host-users.service --state /var/lib/hermes --metadata /etc/hermes/container-mode --gid 10000 --declared mhelton";
          ExecStop = "\${hermes}/bin/hermes-host-users stop --unit hermes-host-users.service --state /var/lib/hermes --metadata /etc/hermes/container-mode";
        };
      };
      hermes-home = {
        description = "Hermes' home, open to its group";
        partOf = [ "hermes-host-users.service" ];
        after = [ "hermes-host-users.service" ];
        path = tools;

        # A start that is refused would end the watch.
        startLimitIntervalSec = 0;
        serviceConfig = {
          Type = "oneshot";
          TimeoutStartSec = 900;

          # Saves that follow one another are one.
          ExecStartPre = "\${pkgs.coreutils}/bin/sleep 1";
          ExecStart = "\${hermes}/bin/hermes-host-users apply --unit hermes-host-users.service --state /var/lib/hermes --metadata /etc/hermes/container-mode --gid 10000 --declared mhelton";
        };
      };
    };

    # Hermes closes its home to the group when it saves credentials.
    paths.hermes-home = {
      wantedBy = [ "multi-user.target" ];
      partOf = [ "hermes-host-users.service" ];
      after = [ "hermes-host-users.service" ];
      pathConfig.PathChanged = "/var/lib/hermes/auth.json";
    };
  };
}
`,
    });
  });

  it("has its scripts beside it, as they are in the repository", () => {
    expect(files.slice(1).map(({ name }) => name)).toEqual([
      "hermes",
      "hermes-host-users",
      "hermes.bash",
      "hermes.zsh",
    ]);
    expect(files[1]?.text).toMatch(/^#!\/bin\/sh\n# hermes: /);
  });

  it("makes the admin of the shipped stack a member of the group that the container's files have", () => {
    const [groups] = evaluatedOption([renderedFlake(shipped)], "users.groups.hermes");
    expect(groups).toMatchObject({ gid: 10_000, members: ["mhelton"] });
  });
});
