import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { check } from "./check.ts";
import { report } from "./report.ts";

/**
 * The mutation check of the policy pack: `node test/mutation/run.ts [name…]`, names being those of gates or of modules
 * that they share. It fails when a gate can be weakened without one of its cases noticing.
 */
const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gates: { type: "string", default: pathOf("../../policy/gates") },
    shared: { type: "string", default: pathOf("../../policy/values") },
    judge: { type: "string", default: pathOf("../../policy/pack/judge-case.ts") },
  },
});
const started = performance.now();
const result = await check({ ...values, only: positionals });
console.log(report(result, (performance.now() - started) / 1000));
const survived = result.outcomes.some(({ fate }) => fate === "survived");
process.exitCode = survived || result.errors.length > 0 ? 1 : 0;
