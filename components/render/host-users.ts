import type { CommandSpec } from "../command/command-spec.ts";
import { HOST_USERS_UNIT } from "../command/command-spec.ts";

/** Where the text of .container-mode waits to be put into the state folder. */
export const METADATA = "/etc/hermes/container-mode";

/**
 * Hermes 0.19.0 closes its home to the group at each save of credentials, whatever HERMES_HOME_MODE says
 * (secure_parent_dir in hermes_constants.py): the units of this name open it again.
 */
export const REOPEN = "hermes-home";

/**
 * Seconds after which giving the home to its users is given up: Hermes waits for it. A walk through a large home is
 * allowed 600.
 */
export const PATIENCE_SECONDS = 900;

/** The file whose change tells of such a save. */
export const credentials = (command: CommandSpec): string => `${command.stateFolder}/auth.json`;

/**
 * The arguments by which the unit gives Hermes' home to its users and takes it back (scripts/guest/hermes-host-users).
 * @param declared whether the system itself declares group and membership.
 */
export function hostUsersArguments(command: CommandSpec, declared: boolean) {
  const common = ["--unit", HOST_USERS_UNIT, "--state", command.stateFolder, "--metadata", METADATA];
  const group = ["--gid", String(command.gid), ...(declared ? ["--declared"] : [])];
  return { start: ["apply", ...common, ...group, ...command.users], stop: ["stop", ...common] };
}
