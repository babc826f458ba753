import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isStack, startCommand } from "../test/lab/choice.ts";
import { DEFAULT_LABS, Lab, STACK } from "../test/lab/lab.ts";
import type { StackName } from "../test/lab/record.ts";
import { type Engine, ensureEngine } from "./setup/engine.ts";
import { ownEnvironment, pulumiEnvironment } from "./setup/environment.ts";
import { foreground } from "./setup/foreground.ts";
import { main } from "./setup/main.ts";
import { labFolder, ROOT } from "./setup/paths.ts";
import { namedStack, onLabStack } from "./setup/pulumi-arguments.ts";

/**
 * The engine that the project found or built: with your own backend when PULUMI_BACKEND_URL is set, else with that of
 * the lab of the stack that is named.
 */
await main(async () => {
  const engine = await ensureEngine();
  const args = process.argv.slice(2);
  if (process.env["PULUMI_BACKEND_URL"] !== undefined) return run(engine, args, ownEnvironment(engine));
  const named = namedStack(args);
  const stack = isStack(named) ? named : STACK;
  return Lab.exists(DEFAULT_LABS[stack])
    ? await inLab(engine, args, stack)
    : withoutBackend(engine, args, stack);
});

async function inLab(engine: Engine, args: readonly string[], stack: StackName): Promise<number> {
  const lab = await Lab.open(DEFAULT_LABS[stack], stack);
  const call = onLabStack(args, { name: stack, file: lab.stackFile, folder: lab.folder });
  const usesFile = call.cwd !== undefined || call.args.includes(lab.stackFile);
  if (usesFile && !existsSync(lab.stackFile)) {
    throw new Error(`the lab has no stack yet (${lab.stackFile} is missing): run \`${startCommand(stack)}\``);
  }
  // The stack for commands that take no stack file, when they name no stack either.
  const env = { ...(await lab.environment(engine)), PULUMI_STACK: stack };
  return run(engine, call.args, env, call.cwd);
}

/** Many commands need no backend. For one that does, the engine says that this folder is missing. */
async function withoutBackend(engine: Engine, args: readonly string[], stack: StackName): Promise<number> {
  const backendUrl = pathToFileURL(join(labFolder(DEFAULT_LABS[stack]), "state")).href;
  const status = await run(engine, args, pulumiEnvironment({ engine, backendUrl, passphrase: "" }));
  if (status !== 0) {
    console.error(
      `There is no lab of ${stack}, so commands on a stack have no backend: make one with \`${startCommand(stack)}\`, or name your own in PULUMI_BACKEND_URL.`,
    );
  }
  return status;
}

function run(engine: Engine, args: readonly string[], env: NodeJS.ProcessEnv, cwd = ROOT): Promise<number> {
  return foreground(engine.pulumi, args, { cwd, env });
}
