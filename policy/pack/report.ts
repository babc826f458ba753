import { UNKNOWN } from "../reading/content.ts";
import type { Gate, Problem } from "./gate.ts";
import { redacted } from "./redacted.ts";
import type { Resource } from "./resource.ts";

const LONGEST_VALUE = 160;

/** What a gate says of a resource: a paragraph a problem. The same thing at the same place is said once. */
export function paragraphs(gate: Gate, resource: Resource, problems: readonly Problem[]): string[] {
  return [...new Set(problems.map((problem) => paragraph(gate, resource, problem)))];
}

/**
 * The paragraph that a person reads: which resource, where in it, the value, what is wrong, and what to do. The engine
 * prints the gate's reason above it. It goes into logs and pull requests, and the pack sees secrets in plain:
 * credentials are cut.
 */
function paragraph(gate: Gate, resource: Resource, problem: Problem): string {
  const { at, message, fix } = problem;
  const found = "value" in problem ? ` is ${shown(problem.value)}, which` : "";
  const place = `${resource.name}: ${at}${found} ${message}`;
  return redacted(oneLine(`${sentence(place)} ${sentence(fix ?? gate.remediation)}`));
}

/** A value in a message, cut to a readable length. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === UNKNOWN) return "not known yet";
  const text = redacted(JSON.stringify(value, (_key, inner: unknown) => (inner === UNKNOWN ? "…" : inner)));
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
