import { fileURLToPath } from "node:url";
import { check } from "./check.ts";
import { report } from "./report.ts";
import { subjectsIn } from "./subjects.ts";

/**
 * The mutation check of the policy pack: `node test/mutation/run.ts [name…]`, names being those of gates or of modules
 * that they stand on. It changes one condition at a time and fails when neither a gate's case nor a test notices:
 * - subjects.ts: which files are changed, and which gates and tests must notice;
 * - mutants.ts: which changes there are, Stryker's and those of weakenings.ts, without those that exemptions.ts names;
 * - check.ts and worker.ts: a worker a file, which loads each mutant and runs cases and tests until one fails.
 */
const policy = (path: string): string => fileURLToPath(new URL(`../../policy/${path}`, import.meta.url));

const subjects = subjectsIn({
  gates: policy("gates"),
  modules: [
    policy("values"),
    policy("pack/guests.ts"),
    ...["argv", "launches", "settings"].map((name) => policy(`reading/${name}.ts`)),
  ],
  only: process.argv.slice(2),
});
const started = performance.now();
const result = await check(subjects);
console.log(report(result, (performance.now() - started) / 1000));
console.log(
  "not mutated, held by their unit tests alone: the other modules of policy/reading and policy/pack",
);
const survived = result.outcomes.some(({ fate }) => fate === "survived");
process.exitCode = survived || result.errors.length > 0 ? 1 : 0;
