import type {
  CommandExpansionPart,
  Command as CommandNode,
  ProcessSubstitutionPart,
  Redirection,
  SyntaxNode,
  WordPart,
} from "unbash";
import { assignmentWord } from "./assignments.ts";
import type { Reading } from "./expansion/reading.ts";
import { expandWord } from "./expansion/words.ts";
import type { Names } from "./names.ts";
import { programOutput } from "./program-output.ts";
import { givesInput, hereText, takesOutput } from "./redirections.ts";
import { isStandardInput } from "./starters/starter.ts";
import { HOLE } from "./unknown.ts";

/** What a piece of script reads; undefined where that is not known. `HOLE` stands in it for the unknown. */
export type Input = (reading: Reading) => string | undefined;
export const NO_INPUT: Input = () => undefined;

const DEEPEST = 32;
const SUBSTITUTIONS_DEEPEST = 8;
/** A substitution starts so deep: it may hold less than the script. */
const SUBSTITUTION_DEPTH = 8;
/** Commands of a pipe that only hand on what they read. */
const HOPS_MOST = 8;

type Substitution = CommandExpansionPart | ProcessSubstitutionPart;

/** What pieces of a script read and print, where its text decides that. */
export class ScriptOutput {
  private readonly names: Names;
  private readonly budget: { steps: number };

  constructor(names: Names, budget: { steps: number }) {
    this.names = names;
    this.budget = budget;
  }

  /** What a piece of script prints. */
  of(node: SyntaxNode, input: Input, reading: Reading, depth = 0): string | undefined {
    this.budget.steps -= 1;
    if (depth > DEEPEST || this.budget.steps < 0) return undefined;
    const deeper = (child: SyntaxNode, from = input) => this.of(child, from, reading, depth + 1);
    switch (node.type) {
      case "Script":
      case "CompoundList":
      case "AndOr": {
        let text = "";
        for (const each of node.commands) {
          const output = deeper(each);
          if (output === undefined) return undefined;
          text += output;
        }
        return text;
      }
      case "Statement":
        return deeper(node.command);
      case "BraceGroup":
      case "Subshell":
        return deeper(node.body);
      case "Pipeline": {
        const last = node.commands.at(-1);
        return last && deeper(last, this.intoPipe(node.commands, node.commands.length - 1, input));
      }
      case "Redirected":
        return node.redirects.some(takesOutput)
          ? ""
          : deeper(node.command, this.redirectedInput(node.redirects, input));
      case "Command":
        return this.ofCommand(node, input, reading, depth);
      default:
        return undefined;
    }
  }

  private ofCommand(node: CommandNode, input: Input, reading: Reading, depth: number): string | undefined {
    if (node.redirects.some(takesOutput)) return "";
    const own = this.commandInput(node, input);
    // `$(<file)` prints the file.
    if (node.name === undefined) return node.redirects.some(givesInput) ? own(reading) : "";
    const words = this.wordsOf(node, reading);
    const body = this.names.functions.get(words[0] ?? "")?.at(-1);
    return body === undefined
      ? programOutput(words, () => own(reading))
      : this.of(body, own, { ...reading, parameters: words.slice(1) }, depth + 1);
  }

  /** What `$(…)` or `<(…)` prints. */
  ofSubstitution(part: Substitution, reading: Reading, input = NO_INPUT): string | undefined {
    if (part.script === undefined || reading.depth > SUBSTITUTIONS_DEEPEST || this.names.unread.has(part))
      return undefined;
    return this.of(part.script, input, { ...reading, depth: reading.depth + 1 }, SUBSTITUTION_DEPTH);
  }

  /** The program's name and its arguments. */
  wordsOf(node: CommandNode, reading: Reading): string[] {
    if (node.name === undefined) return [];
    // A pattern for a name is no path that is worth reading: the program is what it matches.
    const pattern = /[*?[]/.test(node.name.text) && node.name.parts?.some((part) => part.type === "Glob");
    const words = pattern ? [HOLE] : [...expandWord(node.name, reading)];
    for (const each of node.args) {
      if (each.type === "Assignment") words.push(assignmentWord(each, reading));
      else if (this.ofFile(each.parts, reading) !== undefined) words.push("/dev/stdin");
      else words.push(...expandWord(each, reading));
    }
    return words;
  }

  /** What a command reads: by its redirections, from an argument `<(…)`, or as the script around it does. */
  commandInput(node: CommandNode, around: Input): Input {
    return this.redirectedInput(node.redirects, (reading) => {
      for (const each of node.args) {
        const output = each.type === "Word" ? this.ofFile(each.parts, reading) : undefined;
        if (output !== undefined) return output;
      }
      return around(reading);
    });
  }

  /** What is read behind these redirections. */
  redirectedInput(redirects: readonly Redirection[], around: Input): Input {
    const redirect = redirects.findLast(givesInput);
    if (redirect === undefined) return around;
    if (redirect.type === "Redirect" && isStandardInput(redirect.target?.value ?? "")) return around;
    return (reading) =>
      redirect.type === "Redirect"
        ? this.ofFile(redirect.target?.parts, reading)
        : hereText(redirect, reading);
  }

  /** What the commands before this one in a pipe hand to it. */
  intoPipe(commands: readonly SyntaxNode[], index: number, around: Input, hops = 0): Input {
    const before = commands[index - 1];
    if (before === undefined) return around;
    if (hops > HOPS_MOST) return NO_INPUT;
    const input = this.intoPipe(commands, index - 1, around, hops + 1);
    return (reading) => this.of(before, input, reading, hops);
  }

  /** Output of a word that is a `<(…)` and nothing else. */
  private ofFile(parts: readonly WordPart[] | undefined, reading: Reading): string | undefined {
    const part = parts?.length === 1 ? parts[0] : undefined;
    return part?.type === "ProcessSubstitution" && part.operator === "<"
      ? this.ofSubstitution(part, reading)
      : undefined;
  }
}
