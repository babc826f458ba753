import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Lab, STACK } from "../test/lab/lab.ts";
import { type Engine, ensureEngine } from "./setup/engine.ts";
import { ownEnvironment, pulumiEnvironment } from "./setup/environment.ts";
import { foreground } from "./setup/foreground.ts";
import { main } from "./setup/main.ts";
import { labFolder, ROOT } from "./setup/paths.ts";
import { onLabStack } from "./setup/pulumi-arguments.ts";

/** The engine that the project found or built: with your own backend when PULUMI_BACKEND_URL is set, else the lab's. */
await main(async () => {
  const engine = await ensureEngine();
  const args = process.argv.slice(2);
  if (process.env["PULUMI_BACKEND_URL"] !== undefined) return run(engine, args, ownEnvironment(engine));
  return Lab.exists("default") ? await inLab(engine, args) : withoutBackend(engine, args);
});

async function inLab(engine: Engine, args: readonly string[]): Promise<number> {
  const lab = await Lab.open("default");
  const call = onLabStack(args, { name: STACK, file: lab.stackFile, folder: lab.folder });
  const usesFile = call.cwd !== undefined || call.args.includes(lab.stackFile);
  if (usesFile && !existsSync(lab.stackFile)) {
    throw new Error(`the lab has no stack yet (${lab.stackFile} is missing): run \`npm start\``);
  }
  // The stack for commands that take no stack file, when they name no stack either.
  const env = { ...(await lab.environment(engine)), PULUMI_STACK: STACK };
  return run(engine, call.args, env, call.cwd);
}

/** Many commands need no backend. For one that does, the engine says that this folder is missing. */
async function withoutBackend(engine: Engine, args: readonly string[]): Promise<number> {
  const backendUrl = pathToFileURL(join(labFolder("default"), "state")).href;
  const status = await run(engine, args, pulumiEnvironment({ engine, backendUrl, passphrase: "" }));
  if (status !== 0) {
    console.error(
      "There is no lab, so commands on a stack have no backend: make one with `npm start`, or name your own in PULUMI_BACKEND_URL.",
    );
  }
  return status;
}

function run(engine: Engine, args: readonly string[], env: NodeJS.ProcessEnv, cwd = ROOT): Promise<number> {
  return foreground(engine.pulumi, args, { cwd, env });
}
