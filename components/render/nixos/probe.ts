import type { Readiness } from "../../parts/part.ts";
import { Commented, Expression, Lambda, nixFile } from "../nix.ts";
import type { FlakeFile } from "./flake-file.ts";
import { HOST_KEY } from "./machine.ts";

const PROBE = "/run/current-system/sw/bin/hermes-probe";

/**
 * The login by which the host asks how Hermes fares: its key may run two commands and nothing else. The script
 * `hermes-probe` and the public key `probe.pub` lie beside the file. The guest tells its SSH host key on the console, so
 * that the host need not trust it on first use.
 */
export function probeFile(readiness: Readiness): FlakeFile {
  const unit = plain(readiness.unit);
  const probe = new Expression(`pkgs.writeShellScriptBin "hermes-probe" ''
  export HERMES_UNIT=${unit}
  export HERMES_CONTAINER=${unit.replace(/\.service$/, "")}
  export HERMES_STATUS_URL=${plain(readiness.url)}
  exec \${pkgs.runtimeShell} \${./hermes-probe} "$@"
''`);
  const key = new Expression(
    `''restrict,command="exec /run/wrappers/bin/sudo -n ${PROBE} $SSH_ORIGINAL_COMMAND" \${lib.fileContents ./probe.pub}''`,
  );
  const account = {
    isSystemUser: true,
    group: "hermes-probe",
    useDefaultShell: true,
    openssh: { authorizedKeys: { keys: [key] } },
  };
  const commands = ["status", "journal"].map((verb) => ({
    command: `${PROBE} ${verb}`,
    options: ["NOPASSWD"],
  }));
  const body = {
    users: { groups: { "hermes-probe": {} }, users: { "hermes-probe": account } },
    environment: { systemPackages: [new Expression("probe")] },
    systemd: {
      services: {
        "hermes-host-key": new Commented(
          "The console is the hypervisor's own channel: by it the host learns the key that it pins its connections to.",
          {
            description: "SSH host key on the console",
            wantedBy: ["multi-user.target"],
            script: new Expression(`''
  key=${HOST_KEY}.pub
  until [ -s "$key" ]; do sleep 1; done
  # The kernel writes on the console as well, now and then in the middle of a line.
  for _ in 1 2 3 4 5; do
    echo "hermes-host-key $(cut -d ' ' -f 1,2 "$key")" > /dev/console
    sleep 10
  done
''`),
          },
        ),
      },
    },
    security: {
      sudo: {
        extraRules: new Commented("sudo compares the arguments too: nothing but these two runs.", [
          { users: ["hermes-probe"], commands },
        ]),
      },
    },
  };
  return { name: "probe.nix", text: nixFile(new Lambda("{ lib, pkgs, ... }", body, { probe })) };
}

/** What reads the same in the shell and in a Nix string. */
function plain(text: string): string {
  if (/^[A-Za-z0-9:/@._-]+$/.test(text)) return text;
  throw new RangeError(`only letters, digits and :/@._- may stand in the probe: ${JSON.stringify(text)}`);
}
