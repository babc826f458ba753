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
  const count = (state: string) => tests.filter((test) => test.result().state === state).length;
  const failed = tests.flatMap((test) =>
    (test.result().errors ?? []).map(({ message }) => [test.module.moduleId, test.fullName, message]),
  );
  // What fails around tests: an import, a hook.
  const around = modules.flatMap((module) =>
    [module, ...module.children.allSuites()].flatMap((it) =>
      it.errors().map(({ message }) => [module.moduleId, "", message]),
    ),
  );
  const outside = errors.map(({ message }) => ["", "outside of the tests", message]);
  return {
    passed: count("passed"),
    skipped: count("skipped"),
    failures: [...failed, ...around, ...outside].map(([path = "", name = "", message = ""]) =>
      [path && relative(ROOT, path), name, message.split("\n", 1)[0]].filter(Boolean).join(" › "),
    ),
  };
}
