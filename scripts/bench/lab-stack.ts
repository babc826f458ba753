import { spawnSync } from "node:child_process";
import { Lab } from "../../test/lab/lab.ts";
import { ROOT } from "../setup/paths.ts";
import { range, seconds } from "./time.ts";

const RUNS = 5;

/** How long the engine takes over the lab's stack when nothing changed. Needs the lab that `npm start` made. */
export async function benchLabStack(): Promise<void> {
  const stack = await (await Lab.open("default")).stack();
  const cases = [
    ["preview", ["preview", "--expect-no-changes"]],
    ["preview with the policy pack", ["preview", "--expect-no-changes", "--policy-pack", "policy"]],
    ["up", ["up", "--yes", "--skip-preview", "--expect-no-changes"]],
    ["refresh", ["refresh", "--yes", "--skip-preview", "--expect-no-changes"]],
  ] as const;
  console.log(`The lab's stack, unchanged. Seconds over ${RUNS} runs: median (least to most)`);
  for (const [title, args] of cases) {
    const taken = seconds(RUNS, () => {
      const { status, stderr } = spawnSync(stack.pulumi, [...args, ...stack.selection], {
        cwd: ROOT,
        env: stack.env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`\`pulumi ${args[0]}\` failed: ${stderr.trim()}`);
    });
    console.log(`${title.padEnd(30)} ${range(taken)}`);
  }
}
