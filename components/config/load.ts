import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { type Settings, settings } from "./schema.ts";

/** Settings that only the stack's secrets can give; set with `pulumi config set --secret`. */
const PROVIDER_KEYS = {
  endpoint: {
    variable: "PROXMOX_VE_ENDPOINT",
    hint: "pulumi config set proxmoxve:endpoint https://NODE:8006",
  },
  apiToken: {
    variable: "PROXMOX_VE_API_TOKEN",
    hint: "pulumi config set --secret proxmoxve:apiToken USER@REALM!ID=UUID",
  },
} as const;

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
  if (isRecord(tree["guest"]) && tree["guest"]["kind"] === "proxmox") {
    for (const [key, { variable, hint }] of Object.entries(PROVIDER_KEYS)) {
      if (values[`proxmoxve:${key}`] || environment[variable]) continue;
      problems.push(`proxmoxve:${key} is missing; set it with \`${hint}\` or in ${variable}`);
    }
  }
  if (result.success && problems.length === 0) return result.data;
  const list = problems.map((problem) => `  - ${problem}`).join("\n");
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  throw new ConfigError(`the stack's configuration has ${count}; nothing was changed:\n${list}`);
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
      (key) => `${name([...issue.path, key])} is not a known key; see components/config/schema.json`,
    );
  }
  const found = lookup(tree, issue.path);
  const where = name(issue.path);
  if (found === undefined && issue.code === "invalid_type")
    return [`${where} is missing; expected ${issue.expected}`];
  if (found === undefined) return [`${where} ${issue.message}`];
  return [`${where} = ${show(issue.path, found)}: ${issue.message}`];
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
  if (path[0] === "ssh" && (path.length === 1 || path[1] === "privateKey")) return "[secret]";
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
