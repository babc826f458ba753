import type { LaunchSpec } from "../container/launch-spec.ts";
import { readScript } from "../scripts.ts";

/** The unit that lets the users share Hermes' home, on every kind of guest. */
export const HOST_USERS_UNIT = "hermes-host-users.service";

/** The group of the official image's user hermes, unless HERMES_GID says otherwise. */
const IMAGE_GID = 10_000;

/** The command `hermes` in the guest, which runs in the container, and the users that share the container's home. */
export interface CommandSpec {
  readonly users: readonly string[];
  /** The guest's folder that is /opt/data in the container. */
  readonly stateFolder: string;
  /** Number of the group that owns what the container creates there. */
  readonly gid: number;
  /** Text of the file .container-mode, by which the command finds the container. */
  readonly metadata: string;
  readonly scripts: {
    readonly command: string;
    readonly hostUsers: string;
    readonly bashCompletion: string;
    readonly zshCompletion: string;
  };
}

/** @param users login names; none takes back what an earlier deploy gave. */
export function commandSpec(launch: LaunchSpec, users: readonly string[]): CommandSpec {
  const data = launch.volumes.find(({ target }) => target === "/opt/data");
  return {
    users,
    stateFolder: data?.source ?? "/var/lib/hermes",
    gid: Number(launch.environment["HERMES_GID"] ?? IMAGE_GID),
    metadata: containerMode(launch),
    scripts: {
      command: readScript("guest/hermes"),
      hostUsers: readScript("guest/hermes-host-users"),
      bashCompletion: readScript("guest/completion/hermes.bash"),
      zshCompletion: readScript("guest/completion/_hermes"),
    },
  };
}

/** Upstream's four keys (hermes_cli/config.py), and two that it ignores: with them nothing has to be probed. */
function containerMode(launch: LaunchSpec): string {
  const keys = {
    backend: "podman",
    container_name: launch.name,
    exec_user: "hermes",
    hermes_bin: "/opt/hermes/bin/hermes",
    owner: "root",
    unit: `${launch.name}.service`,
  };
  const lines = Object.entries(keys).map(([key, value]) => `${key}=${value}\n`);
  return `# Written by the Pulumi project "hermes" for the command hermes. A deploy overwrites a change here.\n${lines.join("")}`;
}
