/** What a `--help` of Hermes offers. Options are named as it prints them: "-m MODEL, --model MODEL". */
export interface Help {
  readonly words: Words;
  readonly options: Words;
}

/** Words, in the order of the program, and what each means; "" where the program does not say. */
export type Words = Readonly<Record<string, string>>;

interface Entry {
  readonly indent: number;
  readonly invocation: string;
  readonly description: string;
}

// argparse puts arguments 2 columns in, subcommands 4, and descriptions, which it wraps, always further.
const ARGUMENT = 2;
const SUBCOMMAND = 4;

/** The text of `hermes --help` or `hermes COMMAND --help`, as argparse writes it at any width of the terminal. */
export function parseHelp(text: string): Help {
  const options = entries(section(text, "options:"));
  return {
    words: words(entries(section(text, "positional arguments:"))),
    options: Object.fromEntries(options.map(({ invocation, description }) => [invocation, description])),
  };
}

function section(text: string, title: string): string[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const start = lines.indexOf(title);
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.indexOf("");
  return end < 0 ? rest : rest.slice(0, end);
}

function entries(lines: readonly string[]): Entry[] {
  const found: Entry[] = [];
  for (const line of lines) {
    const indent = line.search(/\S/);
    const last = found.at(-1);
    if (indent === ARGUMENT || indent === SUBCOMMAND) {
      const [invocation = "", ...description] = line.trim().split(/ {2,}/);
      found.push({ indent, invocation, description: description.join(" ") });
    } else if (last !== undefined) {
      found[found.length - 1] = { ...last, description: joined(last.description, line.trim()) };
    }
  }
  return found.map((entry) => ({ ...entry, description: firstSentence(entry.description) }));
}

/** Lines are also broken behind hyphens within a word. */
const joined = (start: string, end: string): string =>
  start === "" || /\w-$/.test(start) ? `${start}${end}` : `${start} ${end}`;

const firstSentence = (text: string): string => text.replace(/[.!] +(?=[A-Z]).*$/, "").replace(/\.$/, "");

/** What may stand as the first argument: the choices, or where a name hides them, the subcommands below it. */
function words([first, ...rest]: readonly Entry[]): Words {
  if (first === undefined) return {};
  const subcommands = rest.filter(({ indent }) => indent === SUBCOMMAND);
  const described = new Map(
    subcommands.flatMap(({ invocation, description }) =>
      names(invocation).map((name) => [name, description] as const),
    ),
  );
  const choices = /^\{(.+)\}$/.exec(first.invocation)?.[1]?.split(",") ?? [...described.keys()];
  return Object.fromEntries(choices.map((name) => [name, described.get(name) ?? ""]));
}

/** "remove (rm, delete)" is one subcommand of three names. */
const names = (invocation: string): string[] => invocation.replace(/[()]/g, "").split(/,? /);
