import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { type ReviewArguments, reviewArguments, USAGE, UsageError } from "./review/arguments.ts";
import { packGates } from "./review/gates.ts";
import { reportMarkdown, reportText, reviewStatus } from "./review/report.ts";
import { review } from "./review/review.ts";
import { watchSignals } from "./review/signals.ts";
import { ensureEngine } from "./setup/engine.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";

/** `pulumi preview` of shipped stacks with the policy pack, and the verdict of each of its gates. */
await main(async () => {
  const called = inTheRightWay();
  if (called === undefined) return 2;
  const engine = await ensureEngine();
  const gates = await packGates();
  const signals = watchSignals();
  try {
    const { packConfig } = called;
    let failed = 0;
    for (const stack of called.stacks) {
      const report = await review(stack, {
        engine,
        gates,
        signals,
        ...(packConfig === undefined ? {} : { packConfig: resolve(packConfig) }),
      }).catch((error: unknown) => {
        // The other stacks are reviewed all the same.
        if (signals.status() === undefined) {
          console.error(error instanceof Error ? error.message : String(error));
        }
        return undefined;
      });
      if (signals.status() !== undefined) return signals.status();
      if (report === undefined) {
        failed += 1;
        continue;
      }
      console.log(`\n${reportText(report)}\n`);
      for (const file of called.summaries) appendFileSync(file, `${reportMarkdown(report)}\n\n`);
      failed += reviewStatus(report);
    }
    return failed === 0 ? 0 : 1;
  } finally {
    signals.stop();
  }
});

function inTheRightWay(): ReviewArguments | undefined {
  const stacks = readdirSync(ROOT).flatMap((file) => /^Pulumi\.([\w.-]+)\.yaml$/.exec(file)?.[1] ?? []);
  try {
    const called = reviewArguments(process.argv.slice(2), stacks.toSorted());
    if (called.packConfig !== undefined && !existsSync(called.packConfig)) {
      throw new UsageError(`--policy-pack-config ${called.packConfig}: there is no such file`);
    }
    return called;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return undefined;
  }
}
