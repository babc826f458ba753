/** What `npm run pulumi -- ARGUMENTS` adds to the arguments, so that the engine uses the lab's stack file. */

/** Commands that take --config-file (`pulumi COMMAND --help`); without it they use the file that is shipped. */
const WITH_CONFIG_FILE = new Set([
  ...["up", "update", "preview", "pre", "refresh", "destroy", "down", "dn", "import", "watch", "config"],
]);
/** Commands below `stack` that write, rename or delete the stack file of the current folder, and take no other. */
const ON_STACK_FILE = new Set([
  ...["init", "new", "select", "rename", "remove", "rm", "delete", "change-secrets-provider"],
]);
/** Flags whose value is the next argument. */
const WITH_VALUE = new Set([
  ...["-C", "--cwd", "-s", "--stack", "--config-file", "--color", "-v", "--verbose"],
  ...["--memprofilerate", "--otel-traces", "--profiling", "--tracing"],
]);

export interface LabStack {
  name: string;
  /** Its stack file. */
  file: string;
  /** Holds the stack file, and a Pulumi.yaml. */
  folder: string;
}

export interface Call {
  args: string[];
  /** The folder to call the engine in; undefined: the project's. */
  cwd?: string;
}

/** The stack that the arguments name; undefined when they name none. */
export function namedStack(args: readonly string[]): string | undefined {
  const { flags } = parse(args);
  return flags.get("-s") ?? flags.get("--stack");
}

/** Whoever names another folder or stack means that one: nothing is added. */
export function onLabStack(args: readonly string[], stack: LabStack): Call {
  const { words, flags } = parse(args);
  const [command = "", subcommand = ""] = words;
  const named = flags.get("-s") ?? flags.get("--stack");
  if (flags.has("-C") || flags.has("--cwd") || (named ?? stack.name) !== stack.name)
    return { args: [...args] };
  if (command === "stack" && ON_STACK_FILE.has(subcommand)) return { args: [...args], cwd: stack.folder };
  if (!WITH_CONFIG_FILE.has(command) || flags.has("--config-file")) return { args: [...args] };
  // What stands after -- is no flag any more.
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const added = [...(named === undefined ? ["--stack", stack.name] : []), "--config-file", stack.file];
  return { args: [...args.slice(0, end), ...added, ...args.slice(end)] };
}

function parse(args: readonly string[]): { words: string[]; flags: Map<string, string> } {
  const words: string[] = [];
  const flags = new Map<string, string>();
  for (let index = 0; index < args.length && args[index] !== "--"; index++) {
    const arg = args[index] ?? "";
    const [flag = "", value] = arg.split("=", 2);
    if (!arg.startsWith("-")) words.push(arg);
    else flags.set(flag, value ?? (WITH_VALUE.has(flag) ? (args[++index] ?? "") : ""));
  }
  return { words, flags };
}
