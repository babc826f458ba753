import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";
import { ROOT } from "../../scripts/setup/paths.ts";

export interface Summary {
  readonly passed: number;
  readonly skipped: number;
  /** What failed, each in a line: where, and the first line of the error. */
  readonly failures: readonly string[];
}

/** Names the file that the summary is written to. */
export const SUMMARY_FILE = "HERMES_TEST_SUMMARY";

/** Writes what the last lines of `npm test` say of a run, errors outside of tests included. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env[SUMMARY_FILE];
    if (file !== undefined) writeFileSync(file, JSON.stringify(summaryOf(modules, errors)));
  }
}

function summaryOf(modules: readonly TestModule[], errors: readonly SerializedError[]): Summary {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const inState = (state: string) => tests.filter((test) => test.result().state === state);
  const failed = inState("failed").map((test) =>
    line(test.module.moduleId, test.fullName, test.result().errors?.[0]),
  );
  // What fails around tests: an import, a hook.
  const around = modules.flatMap((module) =>
    [module, ...module.children.allSuites()].flatMap((it) =>
      it.errors().map((error) => line(module.moduleId, "", error)),
    ),
  );
  const outside = errors.map((error) => line("", "outside of the tests", error));
  return {
    passed: inState("passed").length,
    skipped: inState("skipped").length,
    failures: [...failed, ...around, ...outside],
  };
}

/** Anything may be thrown. */
function line(path: string, name: string, error: { readonly message?: unknown } | null | undefined): string {
  const [message] = String(error?.message ?? error).split("\n", 1);
  return [path && relative(ROOT, path), name, message].filter(Boolean).join(" › ");
}
