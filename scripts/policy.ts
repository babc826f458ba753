import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ReviewArguments, reviewArguments, USAGE, UsageError } from "./review/arguments.ts";
import { packGates, type ReviewGate } from "./review/gates.ts";
import { configuredGates } from "./review/pack-config.ts";
import { reportMarkdown, reportText, reviewStatus, stoppedMarkdown } from "./review/report.ts";
import { review } from "./review/review.ts";
import { watchSignals } from "./review/signals.ts";
import { ensureEngine } from "./setup/engine.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";

/** `pulumi preview` of shipped stacks with the policy pack, and the verdict of each of its gates. */
await main(async () => {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(USAGE);
    return 0;
  }
  const called = await inTheRightWay();
  if (called === undefined) return 2;
  const engine = await ensureEngine();
  const gates = called.gates;
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
        if (signals.status() !== undefined) return undefined;
        const reason = error instanceof Error ? error.message : String(error);
        console.error(reason);
        for (const file of called.summaries) appendFileSync(file, `${stoppedMarkdown(stack, reason)}\n\n`);
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

async function inTheRightWay(): Promise<(ReviewArguments & { gates: readonly ReviewGate[] }) | undefined> {
  const stacks = readdirSync(ROOT).flatMap((file) => /^Pulumi\.([\w.-]+)\.yaml$/.exec(file)?.[1] ?? []);
  try {
    const called = reviewArguments(process.argv.slice(2), stacks.toSorted());
    const { packConfig, summaries } = called;
    for (const summary of summaries) {
      const folder = dirname(resolve(summary));
      if (!existsSync(folder)) throw new UsageError(`--summary ${summary}: there is no folder ${folder}`);
    }
    const gates = await packGates();
    if (packConfig === undefined) return { ...called, gates };
    if (!existsSync(packConfig)) {
      throw new UsageError(`--policy-pack-config ${packConfig}: there is no such file`);
    }
    return { ...called, gates: configuredGates(gates, readFileSync(packConfig, "utf8"), packConfig) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return undefined;
  }
}
