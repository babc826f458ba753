import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

const CONTAINER = "hermes:index:HermesContainer";
const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";
const container = (more: object = {}): CaseResource => ({
  type: CONTAINER,
  name: "hermes",
  props: { image: IMAGE, ...more },
});
const command = (create: string, more: object = {}): CaseResource => ({
  type: "command:remote:Command",
  props: { create, ...more },
});
const one = (resource: CaseResource): Case["resources"] => [resource];
/** As the program's installer sends Hermes' configuration. */
const configured = (...content: string[]): CaseResource =>
  command("sudo -n hermes-guest stage config", {
    stdin: JSON.stringify({ files: [{ path: "/var/lib/hermes/config.yaml", content }] }),
  });
const nix = (line: string): CaseResource =>
  command("tee /etc/nixos/hermes.nix", { stdin: `{ pkgs, lib, ... }:\n{\n  ${line}\n}\n` });
const GUARDED = configured(
  "approvals:",
  "  mode: smart",
  "  cron_mode: deny",
  "tool_loop_guardrails:",
  "  hard_stop_enabled: true",
  "security:",
  "  tirith_fail_open: false",
  "",
);
const inArgs = (config: object) => one({ type: "x:y:Hermes", props: { config } });

export const cases: GateCases = {
  level: "advisory",
  allows: [
    { title: "a container whose guardrails come before it", resources: [GUARDED, container()] },
    { title: "a container whose guardrails come after it", resources: [container(), GUARDED] },
    {
      title: "what is safe by default left out",
      resources: [
        container(),
        configured(
          "tool_loop_guardrails:",
          "  hard_stop_enabled: true",
          "security:",
          "  tirith_fail_open: false",
        ),
      ],
    },
    { title: "a person who approves", resources: one(configured("approvals:", "  mode: manual")) },
    {
      title: "guardrails that commands set",
      resources: [
        container(),
        command(
          "podman exec hermes hermes config set tool_loop_guardrails.hard_stop_enabled true; hermes config set security.tirith_fail_open false",
        ),
      ],
    },
    {
      title: "guardrails in args",
      resources: [
        container({
          config: {
            tool_loop_guardrails: { hard_stop_enabled: true },
            security: { tirith_fail_open: false },
          },
        }),
      ],
    },
    {
      title: "values that are not known yet",
      resources: [
        container({
          config: {
            tool_loop_guardrails: { hard_stop_enabled: unknown },
            security: { tirith_fail_open: unknown },
          },
        }),
      ],
    },
    {
      title: "a value that a variable names",
      resources: one(command('hermes config set approvals.mode "$MODE"')),
    },
    {
      title: "something else's mode",
      resources: one(configured("mode: off", "display:", "  mode: off", "approvals:", "  other: off")),
    },
    ...[
      "hermes config get approvals.mode off",
      "hermes model set approvals.mode off",
      "git config set approvals.mode off",
      "hermes config set display.mode off",
      "hermes config set approvals off",
      "echo hermes config set approvals.mode off",
    ].map((line) => ({
      title: `the command ${line}`,
      resources: one(command(line)),
    })),
    { title: "no Hermes at all", resources: one({ type: "x:y:Z", props: { image: IMAGE } }) },
  ],
  refuses: [
    {
      title: "a container without a word on them",
      resources: one(container()),
      says: [
        "hermes: tool_loop_guardrails.hard_stop_enabled is set nowhere in this stack, and by default lets the agent repeat a failing tool for ever.",
        "Set approvals.mode to smart or manual",
        "hermes: security.tirith_fail_open is set nowhere in this stack",
      ],
    },
    {
      title: "one of them missing",
      resources: [container(), configured("tool_loop_guardrails:", "  hard_stop_enabled: true")],
      says: ["hermes: security.tirith_fail_open is set nowhere"],
    },
    {
      title: "approvals off",
      resources: one(configured("approvals:", "  mode: off")),
      says: [
        "it: stdin › /var/lib/hermes/config.yaml › approvals.mode is",
        "which runs dangerous commands without asking.",
      ],
    },
    { title: "approvals of another word", resources: one(configured("approvals:", "  mode: smartest")) },
    {
      title: "scheduled jobs that are allowed",
      resources: one(configured("approvals:", "  cron_mode: allow")),
      says: ["lets a scheduled job run dangerous commands"],
    },
    {
      title: "a loop without an end",
      resources: [
        GUARDED,
        { ...configured("tool_loop_guardrails:", "  hard_stop_enabled: false"), name: "other" },
      ],
      says: ["other: stdin", "lets the agent repeat a failing tool for ever"],
    },
    {
      title: "a check that fails open",
      resources: one(configured("security:", "  tirith_fail_open: true")),
      says: ["lets commands through when the check of them fails"],
    },
    {
      title: "a value in args, beside an unknown one",
      resources: inArgs({ approvals: { mode: "off", cron_mode: unknown } }),
      says: ['config.approvals.mode is "off"'],
    },
    { title: "a secret value", resources: inArgs({ security: { tirith_fail_open: secret(true) } }) },
    {
      title: "a command",
      resources: one(command("podman exec hermes-agent hermes config set approvals.mode off")),
      says: ['it: create › hermes config set approvals.mode off is "off"'],
    },
    {
      title: "a here-document",
      resources: one(
        command("cat > /opt/data/config.yaml <<'EOF'\nsecurity:\n  tirith_fail_open: true\nEOF"),
      ),
    },
    {
      title: "a Nix text",
      resources: one(nix('services.hermes.settings.approvals.mode = "off";')),
      says: ["approvals.mode"],
    },
  ],
};
