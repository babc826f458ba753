import { type Diagnostic, type Events, nameOf, type PolicyViolation } from "./events.ts";
import { fenced, inline, table } from "./markdown.ts";
import { changesText, planText } from "./plan.ts";
import type { Placeholder } from "./stack-file.ts";
import type { Verdict } from "./verdicts.ts";

/** What one preview of one stack came to. */
export interface Report {
  readonly stack: string;
  /** Exit status of `pulumi preview`. */
  readonly status: number;
  readonly verdicts: readonly Verdict[];
  readonly events: Events;
  /** Undefined: the stack's own state. */
  readonly placeholders?: readonly Placeholder[];
}

/** More of them repeat what the first say. */
const MOST_VIOLATIONS = 30;

/** The exit status of a review: 0 when the preview succeeded, no gate refused and at least one gate judged. */
export function reviewStatus({ status, verdicts }: Pick<Report, "status" | "verdicts">): 0 | 1 {
  const refused = verdicts.some((verdict) => verdict.refused.length > 0);
  const judged = verdicts.some(({ text }) => text !== "not judged" && text !== "disabled");
  return status === 0 && !refused && judged ? 0 : 1;
}

/** "passed", "refused by placement-gate" or "the preview failed", and which mandatory gates were lowered. */
export function outcome(report: Report): string {
  const lowered = report.verdicts
    .filter(({ level, byDefault }) => byDefault === "mandatory" && level !== byDefault)
    .map(({ id, level }) => `${id} (${level})`);
  return [
    result(report),
    ...(lowered.length === 0 ? [] : [`lowered by --policy-pack-config: ${lowered.join(", ")}`]),
  ].join("; ");
}

function result(report: Report): string {
  const refusing = report.verdicts.filter(({ refused }) => refused.length > 0).map(({ id }) => id);
  if (refusing.length > 0) return `refused by ${refusing.join(", ")}`;
  if (report.status !== 0) {
    // The configuration's own check names the gate whose rule it is, and ends the program before the pack sees anything.
    const text = errors(report).map(diagnosticText).join("\n");
    const named = report.verdicts.map(({ id }) => id).filter((id) => text.includes(`(gate ${id})`));
    return ["the preview failed", ...(named.length === 0 ? [] : [`by ${named.join(", ")}`])].join(" ");
  }
  return reviewStatus(report) === 0 ? "passed" : "no gate judged it";
}

/** Why a preview failed that no gate refused. */
function errors(report: Report): Diagnostic[] {
  const refused = report.verdicts.some((verdict) => verdict.refused.length > 0);
  return report.status === 0 || refused
    ? []
    : report.events.diagnostics.filter(({ severity }) => severity.includes("err"));
}

const shownLevel = ({ level, byDefault }: Verdict): string =>
  byDefault === undefined ? level : `${level} (by default ${byDefault})`;

/** Key by key, what a review without the stack's state puts in the place of its owner's values. */
export function placeholderLines(placeholders: readonly Placeholder[]): string[] {
  return placeholders.map(
    ({ path, found }) =>
      `${path} is ${found === "encrypted" ? "encrypted" : "left to the owner"} in the stack file: a placeholder stands for it`,
  );
}

/** For the terminal. */
export function reportText(report: Report): string {
  const rows = report.verdicts.map((verdict) => [verdict.id, shownLevel(verdict), verdict.text]);
  const widths = [0, 1].map((column) => Math.max(4, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return [
    `Gates of the policy pack for ${report.stack}: ${outcome(report)}`,
    ...errors(report).map((error) => `  ${diagnosticText(error)}`),
    ...[["gate", "level", "verdict"], ...rows].map((row) => `  ${line(row)}`),
    ...violations(report).map(
      (violation) => `\n${violation.policyName}, ${subject(violation)}:\n  ${paragraph(violation)}`,
    ),
  ].join("\n");
}

/** For reviewers: Markdown whose parts that come from the program cannot be anything but text. */
export function reportMarkdown(report: Report): string {
  const found = violations(report);
  const { diagnostics, changes } = report.events;
  const why = errors(report);
  const placeholders = placeholderLines(report.placeholders ?? []);
  return [
    `### Stack ${inline(report.stack)}: ${inline(outcome(report))}`,
    ...(why.length === 0 ? [] : [fenced(why.map(diagnosticText).join("\n"))]),
    table(
      ["gate", "level", "verdict", "what it is"],
      report.verdicts.map((verdict) =>
        [verdict.id, shownLevel(verdict), verdict.text, verdict.title].map(inline),
      ),
    ),
    ...found
      .slice(0, MOST_VIOLATIONS)
      .map(
        (violation) =>
          `> **${inline(violation.policyName)}**, ${inline(subject(violation))}: ${inline(paragraph(violation))}`,
      ),
    ...(found.length > MOST_VIOLATIONS ? [`And ${found.length - MOST_VIOLATIONS} more.`] : []),
    ...details(`Plan: ${inline(changesText(changes))}`, planText(report.events)),
    ...(diagnostics.length === 0
      ? []
      : details("Warnings and errors", diagnostics.map(diagnosticText).join("\n"))),
    ...(report.placeholders === undefined
      ? []
      : ["Previewed without the stack's state, so everything shows as new."]),
    ...(placeholders.length === 0 ? [] : [placeholders.map((text) => `- ${inline(text)}`).join("\n")]),
  ].join("\n\n");
}

/** For reviewers, of a stack that could not be reviewed. */
export const stoppedMarkdown = (stack: string, reason: string): string =>
  [`### Stack ${inline(stack)}: not reviewed`, fenced(plain(reason))].join("\n\n");

function details(title: string, text: string): string[] {
  return [`<details><summary>${title}</summary>`, fenced(text), "</details>"];
}

const violations = ({ verdicts }: Report): PolicyViolation[] =>
  verdicts.flatMap(({ refused, advised }) => [...refused, ...advised]);

const subject = ({ resourceUrn }: PolicyViolation): string =>
  resourceUrn === undefined ? "the stack" : oneLine(nameOf(resourceUrn));

/** The engine puts the policy's description on the first line, and the violation on the next. */
const paragraph = ({ message }: PolicyViolation): string => oneLine(message);

const oneLine = (text: string): string => plain(text).replaceAll(/\s+/g, " ").trim();

const diagnosticText = ({ severity, urn, message }: Diagnostic): string =>
  [
    ...(severity === "info#err" ? [] : [severity]),
    ...(urn ? [nameOf(urn)] : []),
    plain(message).trimEnd(),
  ].join(": ");

/** Without the control characters that would move a terminal's cursor. */
const plain = (text: string): string => text.replaceAll(/[^\P{C}\n\t]/gu, "");
