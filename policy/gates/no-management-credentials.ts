import type { Gate, Problem } from "../pack/gate.ts";
import { isVirtualMachine } from "../pack/guests.ts";
import type { Resource } from "../pack/resource.ts";
import { program } from "../reading/argv.ts";
import type { Content, Known } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { managementCredential, managementVariable } from "../values/credentials.ts";
import { isSshClient } from "../values/ssh.ts";

/** What ends up in a guest, as files, commands, cloud-init or environment. Providers hold such credentials by right. */
const IN_GUEST: ReadonlySet<string> = new Set([
  "command:remote:Command",
  "command:remote:CopyToRemote",
  "command:remote:CopyFile",
  "proxmoxve:index/fileLegacy:FileLegacy",
  "hermes:index:HermesContainer",
  "hermes:index:HermesGuest",
]);

/** Properties by which the deploying machine logs in: they do not reach the guest. */
const OUTSIDE = /^(connection|ssh)\./;

/** The guest holds no credential of the place that it runs in: the agent runs code there. */
export const noManagementCredentials: Gate = {
  id: "no-management-credentials",
  title: "No management credentials in the guest",
  level: "mandatory",
  reason:
    "The agent runs code in the guest, so what the guest holds, the agent can use: against the cluster, the tailnet or the deploy itself.",
  remediation:
    "Keep it with the deploying machine, in the provider's configuration. A guest needs only a single-use tailnet auth key (tskey-auth-…) to join.",
  check: (resource) => {
    if (!reachesGuest(resource)) return [];
    const values = valuesOf(resource.content);
    return [...ofTexts(resource.content, values), ...ofVariables(values)];
  },
};

function reachesGuest(resource: Resource): boolean {
  if (IN_GUEST.has(resource.type) || isVirtualMachine(resource)) return true;
  // A command on the deploying machine may hold what it needs, unless it logs in elsewhere with it.
  return resource.content.commands.some((command) => isSshClient(String(program(command))));
}

/** A value, and the name that it is given. */
interface Named {
  readonly at: string;
  readonly name: string;
  readonly value: unknown;
}

/** One problem a kind of credential, at the innermost text that holds it. */
function ofTexts({ commands, texts }: Content, values: readonly Named[]): Problem[] {
  const found = new Map<string, Problem>();
  const look = (at: string, value: unknown) => {
    const what = typeof value === "string" ? managementCredential(value) : undefined;
    if (what !== undefined) found.set(what, { at, message: `holds ${what}` });
  };
  for (const { at, value } of values) look(at, value);
  // What a shell puts together of several variables stands in no text.
  for (const { at, words } of commands) for (const word of words) look(at, word);
  for (const { at, text } of texts) look(at, text);
  return [...found.values()];
}

function ofVariables(values: readonly Named[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const { at, name, value } of values) {
    const filled = value === UNKNOWN || (typeof value === "string" && value.trim() !== "");
    if (filled && managementVariable(name)) {
      problems.set(name, {
        at,
        message: `gives the guest ${name}, which is for the deploying machine alone`,
      });
    }
  }
  return [...problems.values()];
}

function valuesOf({ settings, launches, commands }: Content): Named[] {
  const environments: readonly { at: string; environment: Readonly<Record<string, Known<string>>> }[] = [
    ...launches,
    ...commands,
  ];
  return [
    ...settings
      .filter(({ at }) => !OUTSIDE.test(at))
      .map(({ at, path, value }) => ({ at, name: String(path.at(-1)), value })),
    ...environments.flatMap(({ at, environment }) =>
      Object.entries(environment).map(([name, value]) => ({ at: `${at} › ${name}`, name, value })),
    ),
  ];
}
