import type { CommandSpec } from "../../command/command-spec.ts";
import { HOST_USERS_UNIT } from "../../command/command-spec.ts";
import { credentials, hostUsersArguments, METADATA, PATIENCE_SECONDS, REOPEN } from "../host-users.ts";
import { Commented, Expression, Lambda, nixFile } from "../nix.ts";
import { commandWord } from "../systemd.ts";
import type { FlakeFile } from "./flake-file.ts";

/** The command, its completions and its users: a module, and the scripts beside it that it packs. */
export function commandFiles(command: CommandSpec): FlakeFile[] {
  const { scripts, users, gid, stateFolder } = command;
  const { start, stop } = hostUsersArguments(command, true);
  const line = (words: readonly string[]) =>
    new Expression(`"\${hermes}/bin/hermes-host-users ${words.map(commandWord).join(" ")}"`);
  const tools = ["acl", "getent", "util-linux"].map((name) => new Expression(`pkgs.${name}`));
  const path = new Expression("tools");
  const bound = { partOf: [HOST_USERS_UNIT], after: [HOST_USERS_UNIT] };
  const hermes = new Expression(`pkgs.runCommand "hermes-command" { } ''
  install -D -m 0755 \${./hermes} $out/bin/hermes
  install -D -m 0755 \${./hermes-host-users} $out/bin/hermes-host-users
  install -D -m 0644 \${./hermes.bash} $out/share/bash-completion/completions/hermes
  install -D -m 0644 \${./hermes.zsh} $out/share/zsh/site-functions/_hermes
''`);
  const body = {
    environment: {
      systemPackages: [new Expression("hermes")],
      etc: {
        [METADATA.replace(/^\/etc\//, "")]: new Commented("How the command finds the container.", {
          text: command.metadata,
        }),
      },
    },
    users: {
      groups: {
        hermes: new Commented("The container's files in its home have this group.", { gid, members: users }),
      },
    },
    systemd: {
      services: {
        [HOST_USERS_UNIT.replace(/\.service$/, "")]: {
          description: "Users of the command hermes",
          wantedBy: ["multi-user.target"],
          before: ["hermes.service"],
          path,
          unitConfig: { RequiresMountsFor: [stateFolder] },
          serviceConfig: {
            Type: "oneshot",
            RemainAfterExit: true,
            TimeoutStartSec: PATIENCE_SECONDS,
            ExecStart: line(start),
            ExecStop: line(stop),
          },
        },
        [REOPEN]: {
          description: "Hermes' home, open to its group",
          ...bound,
          path,
          startLimitIntervalSec: new Commented("A start that is refused would end the watch.", 0),
          serviceConfig: {
            Type: "oneshot",
            TimeoutStartSec: PATIENCE_SECONDS,
            ExecStartPre: new Commented(
              "Saves that follow one another are one.",
              new Expression(`"\${pkgs.coreutils}/bin/sleep 1"`),
            ),
            ExecStart: line(start),
          },
        },
      },
      paths: {
        [REOPEN]: new Commented("Hermes closes its home to the group when it saves credentials.", {
          wantedBy: ["multi-user.target"],
          ...bound,
          pathConfig: { PathChanged: credentials(command) },
        }),
      },
    },
  };
  return [
    { name: "command.nix", text: nixFile(new Lambda("{ pkgs, ... }", body, { hermes, tools })) },
    { name: "hermes", text: scripts.command },
    { name: "hermes-host-users", text: scripts.hostUsers },
    { name: "hermes.bash", text: scripts.bashCompletion },
    { name: "hermes.zsh", text: scripts.zshCompletion },
  ];
}
