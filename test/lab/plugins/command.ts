// Stand-in for the real `command` provider, for machines where that cannot be installed.
// Behaves as @pulumi/command 1.2.1 does (github.com/pulumi/pulumi-command), in its surprises too.

import { randomBytes } from "node:crypto";
import { failure } from "./base/check.ts";
import { changes, isIgnored } from "./base/diff.ts";
import type { Context, Resource } from "./base/resource.ts";
import { isSecret, isUnknown, UNKNOWN, type Value, type Values } from "./base/values.ts";
import { serve } from "./base.ts";
import { runLocally } from "./command/local.ts";
import { type Output, type Run, runOf } from "./command/outcome.ts";
import { runRemotely } from "./command/remote.ts";

type Runner = (context: Context, inputs: Values, run: Run) => Promise<Output>;

function command(file: string, runner: Runner, more: Partial<Resource>): Resource {
  async function run(
    context: Context,
    text: Value | undefined,
    inputs: Values,
    before: Output,
  ): Promise<Output> {
    return typeof text === "string" ? runner(context, inputs, runOf(text, inputs, before)) : before;
  }
  return {
    sdk: { file, args: "CommandArgs" },
    diff: ({ oldInputs, inputs, ignoreChanges }) => ({
      changes: changes(oldInputs, inputs)
        .filter(({ path }) => !isIgnored(path, ignoreChanges))
        // Whatever the documentation says: changed triggers replace, with `update` given too (#855).
        .map((change) => ({ ...change, replace: change.path[0] === "triggers" })),
    }),
    preview: (inputs) => ({ ...inputs, stdout: UNKNOWN, stderr: UNKNOWN }),
    create: async (context, inputs) => {
      const output = await run(context, inputs["create"], inputs, { stdout: "", stderr: "" });
      return { id: `${context.name}${randomBytes(4).toString("hex")}`, outputs: { ...inputs, ...output } };
    },
    update: async (context, { inputs, state }) => {
      const output = await run(context, inputs["update"] ?? inputs["create"], inputs, outputOf(state));
      return { ...inputs, ...output };
    },
    // With the stored inputs, so over the stored connection: it fails when that host is gone (#104).
    delete: async (context, { state }) => {
      await run(context, state["delete"], state, outputOf(state));
    },
    ...more,
  };
}

function outputOf(state: Values): Output {
  return { stdout: String(state["stdout"] ?? ""), stderr: String(state["stderr"] ?? "") };
}

/** One unknown in a connection hides all of it, and the real provider's check then leaves these defaults. */
function hideUnknownConnection(inputs: Values): Values {
  const given = inputs["connection"];
  const unknown = isUnknown(isSecret(given) ? given.value : given);
  return unknown ? { ...inputs, connection: { host: "", user: "root", port: 22 } } : inputs;
}

await serve({
  name: "command",
  sdk: "@pulumi/command",
  resources: {
    "command:remote:Command": command("remote/command", runRemotely, {
      secretInputs: ["connection"],
      secretOutputs: ["connection"],
      normalize: hideUnknownConnection,
    }),
    "command:local:Command": command("local/command", runLocally, {
      check: (inputs) =>
        ["assetPaths", "archivePaths"]
          .filter((name) => name in inputs)
          .map((name) => failure([name], "is not in this stand-in; the real provider command has it")),
    }),
  },
});
