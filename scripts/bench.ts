import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { Lab } from "../test/lab/lab.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";

const RUNS = 5;

/** How long the engine takes over the lab's stack when nothing changed. Needs the lab that `npm start` made. */
await main(async () => {
  if (!Lab.exists("default")) throw new Error("there is no lab to measure: run `npm start` first");
  const stack = await (await Lab.open("default")).stack();
  const cases = [
    ["preview", ["preview", "--expect-no-changes"]],
    ["preview with the policy pack", ["preview", "--expect-no-changes", "--policy-pack", "policy"]],
    ["up", ["up", "--yes", "--skip-preview", "--expect-no-changes"]],
    ["refresh", ["refresh", "--yes", "--skip-preview", "--expect-no-changes"]],
  ] as const;
  console.log(`Seconds over ${RUNS} runs, the stack unchanged: median (least to most)`);
  for (const [title, args] of cases) {
    const seconds = Array.from({ length: RUNS }, () =>
      measure(stack.pulumi, [...args, ...stack.selection], stack.env),
    );
    seconds.sort((a, b) => a - b);
    const at = (index: number) => (seconds[index] ?? Number.NaN).toFixed(2);
    console.log(`${title.padEnd(30)} ${at(Math.floor(RUNS / 2))} (${at(0)} to ${at(RUNS - 1)})`);
  }
  return 0;
});

function measure(command: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(command, args, { cwd: ROOT, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`\`pulumi ${args[0]}\` failed: ${stderr.trim()}`);
  return (performance.now() - started) / 1000;
}
