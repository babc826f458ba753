import { parseArgs } from "node:util";

export interface ReviewArguments {
  readonly stacks: readonly string[];
  /** Markdown is appended to these files. */
  readonly summaries: readonly string[];
  /** Settings of the gates, as `pulumi --policy-pack-config` takes them. */
  readonly packConfig?: string;
}

/** The command was called in a way that it does not know. */
export class UsageError extends Error {}

export const USAGE =
  "Usage: npm run policy -- [STACK…] [--summary FILE]… [--policy-pack-config FILE]\n" +
  "Without a STACK: every Pulumi.STACK.yaml, one after the other.";

/**
 * @param available names of the stacks that have a stack file.
 * @throws UsageError for an unknown option or stack.
 */
export function reviewArguments(
  args: readonly string[],
  available: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ReviewArguments {
  const { values, positionals } = parsed(args);
  const unknown = positionals.filter((name) => !available.includes(name));
  if (unknown.length > 0) {
    const stacks = available.join(", ") || "none";
    throw new UsageError(`there is no stack file for ${unknown.join(", ")}; there are stacks ${stacks}`);
  }
  if (available.length === 0) throw new UsageError("there is no Pulumi.STACK.yaml to review");
  for (const [option, files] of Object.entries(values)) {
    if ([files].flat().includes("")) throw new UsageError(`--${option} needs the name of a file`);
  }
  if (env["PULUMI_BACKEND_URL"] === "") {
    throw new UsageError(
      "PULUMI_BACKEND_URL is empty: name the state's backend, or unset it for a scratch state",
    );
  }
  const packConfig = values["policy-pack-config"];
  return {
    stacks: [...new Set(positionals.length > 0 ? positionals : available)],
    summaries: values.summary ?? [],
    ...(packConfig === undefined ? {} : { packConfig }),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { summary: { type: "string", multiple: true }, "policy-pack-config": { type: "string" } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
