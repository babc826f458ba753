/** The engine's events (sdk/go/common/apitype/events.go), one JSON text a line: what a review reads of them. */

export interface PolicyViolation {
  readonly policyName: string;
  readonly policyPackName: string;
  readonly enforcementLevel: string;
  readonly message: string;
  readonly resourceUrn?: string;
  /** An excepted violation refuses nothing. */
  readonly exceptions?: readonly unknown[];
}

export interface Diagnostic {
  readonly severity: string;
  readonly message: string;
  readonly urn?: string;
}

export interface Step {
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly old?: { readonly inputs?: unknown } | null;
  readonly new?: { readonly inputs?: unknown } | null;
  readonly diffs?: readonly string[] | null;
  readonly detailedDiff?: Readonly<
    Record<string, { readonly diffKind?: string; readonly kind?: string }>
  > | null;
  /** False for the parts of a replacement that `op: "replace"` stands for. */
  readonly logical?: boolean;
}

export interface Events {
  readonly violations: readonly PolicyViolation[];
  /** Policies that looked at some resource and found nothing. */
  readonly passed: ReadonlySet<string>;
  readonly steps: readonly Step[];
  /** Warnings and errors. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many resources are created, updated and so on; undefined when the preview did not come to its end. */
  readonly changes?: Readonly<Record<string, number>>;
}

interface EngineEvent {
  readonly policyEvent?: PolicyViolation;
  readonly policyAnalyzeSummaryEvent?: { readonly passed?: readonly string[] };
  readonly policyAnalyzeStackSummaryEvent?: { readonly passed?: readonly string[] };
  readonly resourcePreEvent?: { readonly metadata: Step };
  readonly diagnosticEvent?: Diagnostic;
  readonly summaryEvent?: { readonly resourceChanges?: Readonly<Record<string, number>> };
}

/** @param log the text of the file that `--event-log` wrote; a last line that was cut off is left out. */
export function readEvents(log: string): Events {
  const events = log.split("\n").flatMap(parse);
  const changes = events.findLast(({ summaryEvent }) => summaryEvent !== undefined)?.summaryEvent;
  const passed = events.flatMap((event) => [
    ...(event.policyAnalyzeSummaryEvent?.passed ?? []),
    ...(event.policyAnalyzeStackSummaryEvent?.passed ?? []),
  ]);
  return {
    violations: events
      .flatMap(({ policyEvent }) => (policyEvent === undefined ? [] : [policyEvent]))
      .filter(({ exceptions = [] }) => exceptions.length === 0),
    passed: new Set(passed),
    steps: events.flatMap(({ resourcePreEvent }) =>
      resourcePreEvent === undefined ? [] : [resourcePreEvent.metadata],
    ),
    diagnostics: events
      .flatMap(({ diagnosticEvent }) => (diagnosticEvent === undefined ? [] : [diagnosticEvent]))
      .filter(({ severity }) => ["warning", "error", "info#err"].includes(severity)),
    ...(changes === undefined ? {} : { changes: changes.resourceChanges ?? {} }),
  };
}

function parse(line: string): EngineEvent[] {
  try {
    return [JSON.parse(line) as EngineEvent];
  } catch {
    return [];
  }
}

/** The name in a URN: what stands behind its last `::`. */
export const nameOf = (urn: string): string =>
  urn.slice(urn.lastIndexOf("::") + (urn.includes("::") ? 2 : 0));
