import type { CommandSpec } from "../command/command-spec.ts";
import { HOST_USERS_UNIT } from "../command/command-spec.ts";
import type { FilePart, PartFile } from "../parts/part.ts";
import { credentials, hostUsersArguments, METADATA, PATIENCE_SECONDS, REOPEN } from "./host-users.ts";
import { commandWord, unitFile } from "./systemd.ts";

const HOST_USERS = "/usr/local/sbin/hermes-host-users";

/** The command, its completions and its users on a Debian guest. */
export function debianCommand(command: CommandSpec): FilePart {
  const { scripts, stateFolder } = command;
  const { start, stop } = hostUsersArguments(command, false);
  const line = (words: readonly string[]) => [HOST_USERS, ...words].map(commandWord).join(" ");
  const unit = unitFile([
    [
      "Unit",
      [
        ["Description", "Users of the command hermes"],
        ["RequiresMountsFor", commandWord(stateFolder)],
        // What the container creates in its home then has the right group from the start.
        ["Before", "hermes.service"],
      ],
    ],
    [
      "Service",
      [
        ["Type", "oneshot"],
        ["RemainAfterExit", "yes"],
        ["TimeoutStartSec", String(PATIENCE_SECONDS)],
        ["ExecStart", line(start)],
        ["ExecStop", line(stop)],
      ],
    ],
    ["Install", [["WantedBy", "multi-user.target"]]],
  ]);
  return {
    // setfacl.
    packages: ["acl"],
    images: [],
    files: [
      file("/usr/local/bin/hermes", "0755", scripts.command),
      file(HOST_USERS, "0755", scripts.hostUsers),
      file(METADATA, "0644", command.metadata),
      file("/usr/local/share/bash-completion/completions/hermes", "0644", scripts.bashCompletion),
      file("/usr/local/share/zsh/site-functions/_hermes", "0644", scripts.zshCompletion),
      file(`/etc/systemd/system/${HOST_USERS_UNIT}`, "0644", unit),
      ...reopening(command, line(start)),
    ],
    units: [
      { name: HOST_USERS_UNIT, enable: true },
      { name: `${REOPEN}.path`, enable: true },
    ],
  };
}

/** Part of the unit of the users, so that neither works while that one takes all back. */
function reopening(command: CommandSpec, start: string): PartFile[] {
  const description = ["Description", "Hermes' home, open to its group"] as const;
  const service = unitFile([
    [
      "Unit",
      [
        description,
        ["PartOf", HOST_USERS_UNIT],
        ["After", HOST_USERS_UNIT],
        // However often credentials are saved: a start that is refused would end the watch.
        ["StartLimitIntervalSec", "0"],
      ],
    ],
    [
      "Service",
      [
        ["Type", "oneshot"],
        ["TimeoutStartSec", String(PATIENCE_SECONDS)],
        // Saves that follow one another are one.
        ["ExecStartPre", "/usr/bin/sleep 1"],
        ["ExecStart", start],
      ],
    ],
  ]);
  const path = unitFile([
    ["Unit", [description, ["PartOf", HOST_USERS_UNIT], ["After", HOST_USERS_UNIT]]],
    ["Path", [["PathChanged", commandWord(credentials(command))]]],
    ["Install", [["WantedBy", "multi-user.target"]]],
  ]);
  return [
    file(`/etc/systemd/system/${REOPEN}.service`, "0644", service),
    file(`/etc/systemd/system/${REOPEN}.path`, "0644", path),
  ];
}

function file(path: string, mode: PartFile["mode"], content: string): PartFile {
  return { path, mode, owner: "root", group: "root", content };
}
