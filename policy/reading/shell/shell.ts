import {
  type CommandExpansionPart,
  type Command as CommandNode,
  forEachChild,
  type ParsedScript,
  type ProcessSubstitutionPart,
  parse,
  type Redirection,
  type SyntaxNode,
} from "unbash";
import { type Command, type Known, type Reader, type Setting, type Text, UNKNOWN } from "../content.ts";
import { type Choices, eachChoice } from "./choices.ts";
import { unwrapped } from "./commands.ts";
import { Files, writtenFiles } from "./files.ts";
import { addNames, assignedText, assignmentsOf, type FunctionBody, noNames } from "./names.ts";
import { outputOf } from "./output.ts";
import { HOLE, known } from "./unknown.ts";
import { expandParts, expandText, expandWord, type Reading, variableValue } from "./words.ts";

/** Steps of expansion, and commands that calls of functions, aliases and `eval` add. */
const STEPS = 400_000;
const CALLED_MOST = 4_000;
const CALLS_DEEPEST = 8;
const SUBSTITUTIONS_DEEPEST = 8;
/** A syntax error ends a script for a shell; what follows may still be meant for another one. */
const RESTARTS_MOST = 16;

/** Where a piece of script is read. */
interface Frame {
  readonly parameters: readonly string[] | undefined;
  readonly input: ((reading: Reading) => string | undefined) | undefined;
  readonly calls: number;
  readonly aliases: ReadonlySet<string>;
  /** Line of the call, while something else than the text itself is read. */
  readonly line: number | undefined;
}

/**
 * Commands, assignments and written files of a shell script, and the texts that it has other shells run. Nothing is
 * executed: a word that depends on more than the text is `UNKNOWN`. A word that may be one of several (a loop over a
 * list, a variable with two assignments, a default) gives a command for each, sixteen at most.
 */
export const readShell: Reader = ({ text, at }) => new ShellReader(text.replaceAll("\r\n", "\n"), at).read();

class ShellReader {
  private readonly commands: Command[] = [];
  private readonly settings: Setting[] = [];
  private readonly texts: Text[] = [];
  private readonly files = new Files();
  private readonly names = noNames();
  private readonly budget = { steps: STEPS, called: CALLED_MOST };
  private readonly called = new Set<FunctionBody>();
  private readonly lines: number[] = [];
  private readonly source: string;
  private readonly at: string;

  constructor(source: string, at: string) {
    this.source = source;
    this.at = at;
  }

  read() {
    for (let from = this.source.indexOf("\n"); from >= 0; from = this.source.indexOf("\n", from + 1))
      this.lines.push(from);
    const scripts = parseAll(this.source);
    for (const script of scripts) addNames(script, this.names);
    const top: Frame = {
      parameters: undefined,
      input: undefined,
      calls: 0,
      aliases: new Set(),
      line: undefined,
    };
    for (const script of scripts) this.walk(script, top);
    for (const bodies of this.names.functions.values()) {
      for (const body of bodies) if (!this.called.has(body)) this.walk(body, { ...top, parameters: [HOLE] });
    }
    const texts = [...this.texts, ...this.files.texts(this.commands)];
    return { commands: this.commands, settings: this.settings, texts };
  }

  private walk(node: SyntaxNode, frame: Frame): void {
    if (this.names.unread.has(node)) {
      this.commands.push({ at: this.place(node, frame), words: [UNKNOWN], environment: {} });
      return;
    }
    switch (node.type) {
      case "Command":
        this.command(node, frame);
        return;
      case "Pipeline":
        node.commands.forEach((command, index) => {
          const input = index === 0 ? frame.input : this.outputInto(node.commands, index, frame);
          this.walk(command, { ...frame, input });
        });
        return;
      case "Redirected": {
        const input = node.redirects.some(givesInput) ? this.inputOf(node.redirects, frame) : frame.input;
        this.walk(node.command, { ...frame, input });
        for (const redirect of node.redirects) this.walk(redirect, { ...frame, input: undefined });
        if (node.redirects.some(takesOutput)) {
          this.eachReading(frame, (reading) => {
            const output = this.output(node.command, { ...frame, input }, reading, 0);
            this.redirected(node.redirects, output, this.place(node, frame), reading);
          });
        }
        return;
      }
      case "Function":
        return;
      case "CommandExpansion":
      case "ProcessSubstitution": {
        // Positions in a script between escaped backquotes are its own.
        const line = node.script?.source === undefined ? frame.line : (frame.line ?? this.lineOf(node.pos));
        if (node.script !== undefined) this.walk(node.script, { ...frame, input: undefined, line });
        return;
      }
      default:
        forEachChild(node, (child) => this.walk(child, frame));
    }
  }

  private command(node: CommandNode, frame: Frame): void {
    const inside: Frame = { ...frame, input: undefined };
    forEachChild(node, (child) => this.walk(child, inside));
    const at = this.place(node, frame);
    const assignments = assignmentsOf(node);
    const once = new Set<string>();
    this.eachReading(frame, (reading) => {
      const environment: Record<string, Known<string>> = {};
      for (const { name, given } of assignments) {
        const values =
          given.type === "Word"
            ? [expandText(given, reading).slice(name.length + 1)]
            : given.value.type === "Word"
              ? [expandText(given.value, reading)]
              : given.value.elements.flatMap((word) => expandWord(word, reading));
        const array = given.type === "Assignment" && given.value.type === "ArrayValue";
        values.forEach((value, index) => {
          if (reading.choices.some && !unseen(once, `${name}=${index}=${value}`)) return;
          this.settings.push({ at, path: array ? [name, String(index)] : [name], value: known(value) });
        });
        if (node.name !== undefined && prefixed(node, given)) environment[name] = known(values[0] ?? "");
      }
      this.start(node, frame, reading, environment, at, once);
    });
  }

  private start(
    node: CommandNode,
    frame: Frame,
    reading: Reading,
    environment: Command["environment"],
    at: string,
    once: Set<string>,
  ): void {
    if (node.name === undefined) return;
    const alias = frame.aliases.has(node.name.text) ? undefined : this.names.aliases.get(node.name.text);
    if (alias !== undefined && frame.calls < CALLS_DEEPEST) {
      const rest = node.args.map((each) => each.text).join(" ");
      this.nested(
        `${alias} ${rest}`,
        { ...frame, aliases: new Set([...frame.aliases, node.name.text]) },
        node,
      );
      return;
    }
    const words = this.wordsOf(node, reading);
    const input = this.inputOf(node.redirects, frame, node)(reading);
    if (reading.choices.some && !unseen(once, JSON.stringify([words, input]))) return;
    const [program = ""] = words;
    const bodies = this.names.functions.get(program);
    if (bodies !== undefined && frame.calls < CALLS_DEEPEST && this.budget.called > 0) {
      this.call(bodies, {
        ...frame,
        parameters: words.slice(1),
        input: () => input,
        line: frame.line ?? this.lineOf(node.pos),
      });
      return;
    }
    if (program === "eval" && frame.calls < CALLS_DEEPEST) this.nested(words.slice(1).join(" "), frame, node);
    const given = { at, words, environment, ...(input === undefined ? {} : { input }) };
    const found = unwrapped(given, (name) =>
      this.names.variables.has(name) ? variableValue(name, reading) : undefined,
    );
    this.commands.push(...found.commands);
    if (program !== "eval") this.texts.push(...found.texts);
    const last = found.commands.at(-1)?.words.map((word) => (typeof word === "string" ? word : HOLE)) ?? [];
    for (const { path, append } of input === undefined ? [] : writtenFiles(last))
      this.files.write(at, path, input ?? "", append);
    if (node.redirects.some(takesOutput)) {
      this.redirected(
        node.redirects,
        outputOf(this.innermost(words), () => input),
        at,
        reading,
      );
    }
  }

  /** Words of the program that its wrappers start in the end; the unknown in them stays beside the known. */
  private innermost(words: readonly string[]): readonly string[] {
    const length = unwrapped({ at: "", words, environment: {} }).commands.at(-1)?.words.length ?? 0;
    return words.slice(words.length - length);
  }

  private call(bodies: readonly FunctionBody[], frame: Frame): void {
    for (const body of bodies) {
      this.called.add(body);
      this.budget.called -= 1;
      if (this.budget.called < 0) return;
      this.walk(body, { ...frame, calls: frame.calls + 1 });
    }
  }

  /** A text that runs where it stands: an alias, `eval`. */
  private nested(text: string, frame: Frame, node: SyntaxNode): void {
    this.budget.called -= 1 + (text.length >> 6);
    if (this.budget.called < 0) return;
    const script = parse(text);
    addNames(script, this.names);
    const line = frame.line ?? this.lineOf(node.pos);
    this.walk(script, { ...frame, calls: frame.calls + 1, line });
  }

  private wordsOf(node: CommandNode, reading: Reading): string[] {
    if (node.name === undefined) return [];
    const words =
      /[*?[]/.test(node.name.text) && node.name.parts?.some((part) => part.type === "Glob")
        ? [HOLE]
        : [...expandWord(node.name, reading)];
    for (const each of node.args) {
      if (each.type === "Assignment") words.push(`${each.name}=${assignedText(each, reading)}`);
      else if (substituted(each.parts, this, reading) !== undefined) words.push("/dev/stdin");
      else words.push(...expandWord(each, reading));
    }
    return words;
  }

  /** What the command reads, where that is known. `HOLE` stands in it for the unknown. */
  private inputOf(
    redirects: readonly Redirection[],
    frame: Frame,
    node?: CommandNode,
  ): (reading: Reading) => string | undefined {
    return (reading) => {
      const redirect = redirects.findLast(givesInput);
      if (redirect?.type === "HereDoc") {
        const { body, delimiter, operator } = redirect;
        const text =
          body.parts !== undefined
            ? expandParts(body.parts, reading)
            : delimiter?.quoted === false
              ? body.text.replace(/\\([$`\\]|\n)/g, (_all, letter: string) => (letter === "\n" ? "" : letter))
              : body.text;
        return operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
      }
      if (redirect?.type === "HereString") {
        return redirect.target === undefined ? undefined : `${expandText(redirect.target, reading)}\n`;
      }
      if (redirect !== undefined) return substituted(redirect.target?.parts, this, reading);
      for (const each of node?.args ?? []) {
        const output = each.type === "Word" ? substituted(each.parts, this, reading) : undefined;
        if (output !== undefined) return output;
      }
      return frame.input?.(reading);
    };
  }

  /** What the commands before this one in a pipe hand to it. Eight that only hand on are followed. */
  private outputInto(commands: readonly SyntaxNode[], index: number, frame: Frame, hops = 0): Frame["input"] {
    const before = commands[index - 1];
    if (before === undefined || hops > 8) return undefined;
    const input = index === 1 ? frame.input : this.outputInto(commands, index - 1, frame, hops + 1);
    return (reading) => this.output(before, { ...frame, input }, reading, hops);
  }

  /** What a piece of script prints, where its text decides that. */
  output(node: SyntaxNode, frame: Frame, reading: Reading, depth: number): string | undefined {
    this.budget.steps -= 1;
    if (depth > 32 || this.budget.steps < 0) return undefined;
    const deeper = (child: SyntaxNode, input = frame.input) =>
      this.output(child, { ...frame, input }, reading, depth + 1);
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
        return last === undefined
          ? undefined
          : deeper(last, this.outputInto(node.commands, node.commands.length - 1, frame));
      }
      case "Redirected":
        return node.redirects.some(takesOutput)
          ? ""
          : deeper(node.command, this.inputOf(node.redirects, frame));
      case "Command": {
        if (node.redirects.some(takesOutput) || node.name === undefined) return "";
        const words = this.wordsOf(node, reading);
        const body = this.names.functions.get(words[0] ?? "")?.at(-1);
        const input = this.inputOf(node.redirects, frame, node);
        if (body !== undefined) {
          return this.output(
            body,
            { ...frame, input },
            { ...reading, parameters: words.slice(1) },
            depth + 1,
          );
        }
        return outputOf(this.innermost(words), () => input(reading)) ?? undefined;
      }
      default:
        return undefined;
    }
  }

  private redirected(
    redirects: readonly Redirection[],
    output: string | undefined,
    at: string,
    reading: Reading,
  ): void {
    if (output === undefined) return;
    for (const redirect of redirects.filter(takesOutput)) {
      if (redirect.type !== "Redirect" || redirect.target === undefined) continue;
      this.files.write(at, expandText(redirect.target, reading), output, redirect.operator.includes(">>"));
    }
  }

  private eachReading(frame: Frame, read: (reading: Reading) => void): void {
    if (frame.calls > 0) this.budget.called -= 1;
    eachChoice((choices: Choices) =>
      read({
        variables: this.names.variables,
        parameters: frame.parameters,
        shifts: this.names.shifts,
        choices,
        limits: new Map(),
        budget: this.budget,
        parse,
        depth: 0,
        output: (part, reading) => this.outputOf(part, reading),
      }),
    );
  }

  outputOf(part: CommandExpansionPart | ProcessSubstitutionPart, reading: Reading): string | undefined {
    if (reading.depth > SUBSTITUTIONS_DEEPEST || this.names.unread.has(part) || part.script === undefined)
      return undefined;
    const frame = {
      parameters: reading.parameters,
      input: undefined,
      calls: 0,
      aliases: new Set<string>(),
      line: undefined,
    };
    return this.output(part.script, frame, { ...reading, depth: reading.depth + 1 }, 8);
  }

  private lineOf(position: number): number {
    let [low, high] = [0, this.lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.lines[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  private place(node: SyntaxNode, frame: Frame): string {
    // One line, with or without a line end, needs no number.
    const single = this.lines.length === 0 || (this.lines.length === 1 && this.source.endsWith("\n"));
    return single ? this.at : `${this.at} › line ${frame.line ?? this.lineOf(node.pos)}`;
  }
}

const givesInput = (redirect: Redirection): boolean =>
  (redirect.type !== "Redirect" || redirect.operator === "<") &&
  (redirect.descriptor === undefined ||
    (redirect.descriptor.type === "FileDescriptor" && redirect.descriptor.value === 0));

const takesOutput = (redirect: Redirection): boolean =>
  redirect.type === "Redirect" &&
  /^(&?>>?|>\|)$/.test(redirect.operator) &&
  (redirect.descriptor === undefined ||
    (redirect.descriptor.type === "FileDescriptor" && redirect.descriptor.value === 1));

/** Output of a word that is a `<(…)` and nothing else. */
function substituted(
  parts: CommandNode["args"][number] extends infer Each
    ? Each extends { parts?: infer Parts }
      ? Parts
      : never
    : never,
  reader: ShellReader,
  reading: Reading,
): string | undefined {
  const part = parts?.length === 1 ? parts[0] : undefined;
  if (part?.type !== "ProcessSubstitution" || part.operator !== "<") return undefined;
  return reader.outputOf(part, reading);
}

const prefixed = (node: CommandNode, given: SyntaxNode): boolean =>
  node.prefix.some((each) => each === given && each.type === "Assignment" && each.value.type === "Word");

function unseen(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function parseAll(source: string): readonly ParsedScript[] {
  const scripts: ParsedScript[] = [parse(source)];
  for (
    let script = scripts[0];
    script?.errors !== undefined && scripts.length < RESTARTS_MOST;
    script = scripts.at(-1)
  ) {
    const end = Math.max(script.errors.at(-1)?.pos ?? 0, script.commands.at(-1)?.end ?? 0);
    const next = source.indexOf("\n", end);
    if (script.errors.length === 0 || next < 0) break;
    scripts.push(parse(source.slice(0, next).replace(/[^\n]/g, " ") + source.slice(next)));
  }
  return scripts;
}
