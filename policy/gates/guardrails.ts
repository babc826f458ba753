import type { Gate, Problem } from "../pack/gate.ts";
import type { Resource, Stack } from "../pack/resource.ts";
import { program, typed } from "../reading/argv.ts";
import { type Command, UNKNOWN } from "../reading/content.ts";

interface Guardrail {
  readonly section: string;
  readonly key: string;
  /** Values that guard an unattended agent, as texts. */
  readonly guards: readonly string[];
  readonly otherwise: string;
  readonly safeByDefault?: true;
}

/** Keys of Hermes' config.yaml (hermes-agent 0.19). */
const GUARDRAILS: readonly Guardrail[] = [
  {
    section: "approvals",
    key: "mode",
    guards: ["smart", "manual"],
    otherwise: "runs dangerous commands without asking",
    safeByDefault: true,
  },
  {
    section: "approvals",
    key: "cron_mode",
    guards: ["deny"],
    otherwise: "lets a scheduled job run dangerous commands",
    safeByDefault: true,
  },
  {
    section: "tool_loop_guardrails",
    key: "hard_stop_enabled",
    guards: ["true"],
    otherwise: "lets the agent repeat a failing tool for ever",
  },
  {
    section: "security",
    key: "tirith_fail_open",
    guards: ["false"],
    otherwise: "lets commands through when the check of them fails",
  },
];

/** Advice: Hermes runs unattended, with its guardrails on. */
export const guardrails: Gate = {
  id: "guardrails",
  title: "Guardrails of unattended runs",
  level: "advisory",
  when: "end",
  reason: "Nobody watches an agent that is always on.",
  remediation:
    "Set approvals.mode to smart or manual, approvals.cron_mode to deny, tool_loop_guardrails.hard_stop_enabled to true and security.tirith_fail_open to false in Hermes' config.yaml.",
  check: (resource, _settings, stack) => [...weakened(resource), ...unset(resource, stack)],
};

/** A setting in a text or a property, or a command that makes one. */
interface Set {
  readonly at: string;
  readonly section: unknown;
  readonly key: unknown;
  readonly value: unknown;
}

function setsOf({ content }: Resource): Set[] {
  return [
    ...content.settings.map(({ at, path, value }) => ({
      at,
      section: path.at(-2),
      key: path.at(-1),
      value,
    })),
    ...content.commands.filter(configures).map(setBy),
  ];
}

/** `hermes config set approvals.mode off` */
const configures = (command: Command): boolean =>
  program(command) === "hermes" && command.words[1] === "config" && command.words[2] === "set";

function setBy(command: Command): Set {
  const [section, key] = String(command.words[3]).split(".");
  return { at: `${command.at} › ${typed(command)}`, section, key, value: command.words[4] };
}

const isOf =
  ({ section, key }: Guardrail) =>
  (set: Set): boolean =>
    set.section === section && set.key === key;

function weakened(resource: Resource): Problem[] {
  const sets = setsOf(resource);
  return GUARDRAILS.flatMap((guardrail) =>
    sets
      .filter(isOf(guardrail))
      .filter(({ value }) => value !== UNKNOWN && !guardrail.guards.includes(String(value)))
      .map(({ at, value }) => ({ at, value, message: guardrail.otherwise })),
  );
}

/** What nothing in the stack sets is as it is by default. Said once, at the stack's first container. */
function unset(resource: Resource, stack: Stack): Problem[] {
  if (resource !== stack.of("hermes:index:HermesContainer")[0]) return [];
  const sets = stack.all.flatMap(setsOf);
  return GUARDRAILS.filter((guardrail) => !guardrail.safeByDefault && !sets.some(isOf(guardrail))).map(
    ({ section, key, otherwise }) => ({
      at: `${section}.${key}`,
      message: `is set nowhere in this stack, and by default ${otherwise}`,
    }),
  );
}
