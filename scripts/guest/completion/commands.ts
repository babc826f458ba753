import { z } from "zod";
import { parseHelp } from "./help.ts";

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/);
// What stands between the quotes of a shell's text is one line.
const description = z.string().regex(/^\P{Cc}*$/u);
const words = z.record(name, description);

/** commands.json: what Hermes says of itself in its `--help`. */
const schema = z.strictObject({
  hermes: z.string().regex(/^\d+\.\d+\.\d+$/),
  options: z.record(z.string(), description),
  commands: z.record(name, z.strictObject({ description, words })),
});
export type Commands = z.infer<typeof schema>;

export const parseCommands = (json: string): Commands => schema.parse(JSON.parse(json));

export const commandsJson = (commands: Commands): string => `${JSON.stringify(commands, undefined, 2)}\n`;

/** Asks a Hermes for its version, its help, and the help of each of its subcommands. */
export async function readCommands(run: (args: readonly string[]) => Promise<string>): Promise<Commands> {
  const version = await run(["--version"]);
  const { words, options } = parseHelp(await run(["--help"]));
  if (Object.keys(words).length === 0) throw new Error("`hermes --help` named no subcommands");
  const commands: Commands["commands"] = {};
  for (const [command, description] of Object.entries(words)) {
    commands[command] = { description, words: parseHelp(await run([command, "--help"])).words };
  }
  return schema.parse({ hermes: /v(\d+\.\d+\.\d+)/.exec(version)?.[1], options, commands });
}

export interface Option {
  readonly names: readonly string[];
  /** The name of its value; without one, the option takes none. */
  readonly value: string | undefined;
  readonly optional: boolean;
  readonly description: string;
}

/** Hermes takes it from the arguments before its parser sees them, so that no help names it. */
const PROFILE: Option = {
  names: ["-p", "--profile"],
  value: "PROFILE",
  optional: false,
  description: "Profile to use",
};

/** The options before the subcommand. */
export function globalOptions({ options }: Commands): Option[] {
  return [...Object.entries(options).map(([invocation, text]) => option(invocation, text)), PROFILE];
}

/** "-m MODEL, --model MODEL", "--continue [SESSION_NAME], -c [SESSION_NAME]" or "--version, -V". */
function option(invocation: string, description: string): Option {
  const forms = invocation
    .split(", ")
    .map((form) => /^(--?[A-Za-z][A-Za-z-]*)(?: (\[?)([A-Z_]+)\]?)?$/.exec(form));
  const names = forms.map((form) => {
    if (form?.[1] === undefined) throw new Error(`commands.json: not an option of argparse: ${invocation}`);
    return form[1];
  });
  const [, , bracket, value] = forms[0] ?? [];
  return { names, value, optional: bracket === "[", description };
}
