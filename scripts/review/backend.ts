import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Engine } from "../setup/engine.ts";
import { ownEnvironment, pulumiEnvironment } from "../setup/environment.ts";
import { ROOT } from "../setup/paths.ts";
import { ensurePlugins } from "../setup/plugins.ts";
import { type Placeholder, reviewFile } from "./stack-file.ts";

/** Where a preview finds its stack. */
export interface Backend {
  readonly env: NodeJS.ProcessEnv;
  /** Arguments that name the stack and its file. */
  readonly selection: readonly string[];
  /** Undefined: the stack's own state and values. */
  readonly placeholders?: readonly Placeholder[];
}

/** The stack's own state, as PULUMI_BACKEND_URL and the other variables of the engine name it. */
export function ownBackend(engine: Engine, stack: string, file: string, folder: string): Backend {
  // The engine adds a salt to a stack file that has none: to a copy, not to the checkout's.
  const copy = join(folder, "review.yaml");
  copyFileSync(file, copy);
  return { env: ownEnvironment(engine), selection: ["--stack", stack, "--config-file", copy] };
}

/**
 * An empty state in `folder`, and a copy of the stack file that needs no key.
 * @param file the stack file; it is only read.
 */
export async function scratchBackend(
  engine: Engine,
  stack: string,
  file: string,
  folder: string,
): Promise<Backend> {
  const review = reviewFile(readFileSync(file, "utf8"), file);
  await ensurePlugins(engine);
  mkdirSync(join(folder, "state"));
  const backendUrl = pathToFileURL(join(folder, "state")).href;
  // It encrypts placeholders only.
  const env = pulumiEnvironment({ engine, backendUrl, passphrase: "review" });
  const run = (args: readonly string[]) => quietly(engine.pulumi, args, { cwd: folder, env });
  // Making a stack writes a stack file into the project's folder: here that is this one.
  copyFileSync(join(ROOT, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
  await run(["stack", "init", stack, "--no-select"]);
  const copy = join(folder, "review.yaml");
  writeFileSync(copy, review.text);
  const selection = ["--stack", stack, "--config-file", copy];
  const values = review.placeholders.flatMap(({ path, value, secret }) => [
    secret ? "--secret" : "--plaintext",
    `${path}=${value}`,
  ]);
  if (values.length > 0) await run(["config", "set-all", "--path", ...values, ...selection]);
  return { env, selection, placeholders: review.placeholders };
}

/** Runs the engine without showing what it says. @throws Error with all of that when it fails. */
function quietly(program: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  return new Promise<void>((resolve, reject) => {
    const child = spawn(program, [...args, "--non-interactive", "--color", "never"], {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("error", (error) => reject(new Error(`${program} could not be started: ${error.message}`)));
    child.once("close", (status, signal) => {
      if (status === 0) return resolve();
      const command = args.slice(0, 2).join(" ");
      reject(new Error(`pulumi ${command} ended with ${status ?? signal}:\n${output.trimEnd()}`));
    });
  });
}
