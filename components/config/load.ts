import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { gateAt } from "./gates.ts";
import { crossProblems } from "./rules.ts";
import { type Settings, settings } from "./schema.ts";

/** What the Proxmox provider needs: in the stack's configuration, or in the provider's own variables. */
const PROVIDER_KEYS = [
  {
    key: "proxmoxve:endpoint",
    variable: "PROXMOX_VE_ENDPOINT",
    form: /^https:\/\/[^\s/]+(\/|\/api2\/json\/?)?$/,
    right: "https://NODE:8006",
    set: "pulumi config set proxmoxve:endpoint https://NODE:8006",
    secret: false,
  },
  {
    key: "proxmoxve:apiToken",
    variable: "PROXMOX_VE_API_TOKEN",
    form: /^[^\s@!=]+@[^\s@!=]+![^\s@!=]+=[^\s=]+$/,
    right: "USER@REALM!ID=UUID",
    set: "pulumi config set --secret proxmoxve:apiToken",
    secret: true,
  },
] as const;

/** The stack's configuration did not hold; the message lists every problem with its path and what would be right. */
export class ConfigError extends pulumi.RunError {}

/**
 * The settings of the current stack.
 * @param values all configuration of the stack, key to text; default: the engine's.
 * @throws ConfigError before any resource is registered, with every problem at once.
 */
export function loadSettings(
  values: Readonly<Record<string, string>> = pulumi.runtime.allConfig(),
  environment: NodeJS.ProcessEnv = process.env,
): Settings {
  const problems: string[] = [];
  const tree: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(values)) {
    if (!key.startsWith("hermes:")) continue;
    tree[key.slice("hermes:".length)] = parse(text);
  }
  const result = settings.safeParse(tree);
  if (!result.success) problems.push(...result.error.issues.flatMap((issue) => describe(issue, tree)));
  problems.push(...crossProblems(tree).map((problem) => describeAt(problem.path, problem.message, tree)));
  if (isRecord(tree["guest"]) && tree["guest"]["kind"] === "proxmox") {
    problems.push(...providerProblems(values, environment));
  }
  problems.push(...misplacedSecrets(values, environment));
  if (result.success && problems.length === 0) return result.data;
  const list = problems.map((problem) => `  - ${problem}`).join("\n");
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  throw new ConfigError(`the stack's configuration has ${count}; nothing was changed:\n${list}`);
}

function providerProblems(
  values: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): string[] {
  return PROVIDER_KEYS.flatMap(({ key, variable, form, right, set, secret }) => {
    const value = values[key] ?? environment[variable];
    if (value === undefined || value === "")
      return [`${key} is missing; set it with \`${set}\` or in ${variable}`];
    if (form.test(value)) return [];
    return [`${key} = ${secret ? "[secret]" : JSON.stringify(value)}: must look like ${right}; \`${set}\``];
  });
}

/**
 * Secrets in the wrong place: in plain in the stack file, where git would keep them for ever, or encrypted under a key
 * that is no secret to the program. The engine names the keys that
 * were encrypted; without an engine there is nothing to tell them by.
 */
function misplacedSecrets(
  values: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): string[] {
  const named = environment["PULUMI_CONFIG_SECRET_KEYS"];
  if (named === undefined) return [];
  const keys: unknown = parse(named);
  const secret: unknown[] = Array.isArray(keys) ? keys : [];
  const misplaced = ["hermes:guest", "hermes:container", "hermes:admin"]
    .filter((key) => secret.includes(key))
    .map(
      (key) =>
        `${key} holds a secret, and would be written to the state in plain: Hermes' own go into /opt/data/.env`,
    );
  const ssh = parse(values["hermes:ssh"] ?? "");
  // Where and as whom SSH is dialled is no secret, and stands in the file before the key is set.
  const withKey = isRecord(ssh) ? "privateKey" in ssh : values["hermes:ssh"] !== undefined;
  const plain = ["hermes:ssh", "proxmoxve:apiToken"]
    .filter((key) => values[key] !== undefined && !secret.includes(key))
    .filter((key) => key !== "hermes:ssh" || withKey)
    .map((key) => {
      const path = key === "hermes:ssh" ? "--path hermes:ssh.privateKey < KEYFILE" : key;
      return `${key} stands in the stack file in plain; take it out, make a new one, and set it with \`pulumi config set --secret ${path}\``;
    });
  return [...misplaced, ...plain];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describe(issue: z.core.$ZodIssue, tree: unknown): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map(
      (key) =>
        `${name([...issue.path, key])} is not a known key; see components/config/schema.json${gateNote([...issue.path, key])}`,
    );
  }
  // Of a key that a map does not allow: zod has the reason one level further down.
  if (issue.code === "invalid_key") {
    const reason = issue.issues.map(({ message }) => message).join("; ");
    return [`${name(issue.path)}: the key ${reason}${gateNote(issue.path)}`];
  }
  const found = lookup(tree, issue.path);
  if (found === undefined && issue.code === "invalid_type") {
    return [`${name(issue.path)} is missing; expected ${issue.expected}${gateNote(issue.path)}`];
  }
  return [describeAt(issue.path, issue.message, tree)];
}

function describeAt(path: readonly PropertyKey[], message: string, tree: unknown): string {
  const found = lookup(tree, path);
  const problem =
    found === undefined ? `${name(path)} ${message}` : `${name(path)} = ${show(path, found)}: ${message}`;
  return `${problem}${gateNote(path)}`;
}

/** Where the policy pack judges the same, its gate is named: there stands why. */
function gateNote(path: readonly PropertyKey[]): string {
  const gate = gateAt(path);
  return gate === undefined ? "" : ` (gate ${gate})`;
}

function name(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path.map(String);
  if (first === undefined) return "hermes:";
  return `hermes:${first}${rest.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join("")}`;
}

function lookup(tree: unknown, path: readonly PropertyKey[]): unknown {
  let value = tree;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isRecord(value)) value = value[String(key)];
    else return undefined;
  }
  return value;
}

/** A value as the message shows it: short, and never a secret. */
function show(path: readonly PropertyKey[], value: unknown): string {
  const text = JSON.stringify(value);
  // Who puts a secret in the wrong place must not find it in a log as well.
  const environment = path[1] === "environment" && !String(path[2] ?? "").startsWith("HERMES_DASHBOARD");
  if (path[0] === "ssh" || environment || text.includes("PRIVATE KEY")) return "[secret]";
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
