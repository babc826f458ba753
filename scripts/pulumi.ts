import { spawnSync } from "node:child_process";
import { Lab } from "../test/lab/lab.ts";
import { ensureEngine } from "./setup/engine.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";

/** The engine that the project found or built: with your own backend when PULUMI_BACKEND_URL is set, else the lab's. */
await main(async () => {
  const engine = await ensureEngine();
  const args = process.argv.slice(2);
  if (process.env["PULUMI_BACKEND_URL"] !== undefined) {
    const path = [...engine.binFolders, process.env["PATH"]].join(":");
    return run(engine.pulumi, args, { ...process.env, PATH: path });
  }
  const lab = await Lab.open("default");
  return run(engine.pulumi, args, await lab.environment(engine));
});

function run(pulumi: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  return spawnSync(pulumi, args, { cwd: ROOT, env, stdio: "inherit" }).status ?? 1;
}
