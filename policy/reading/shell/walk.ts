import { type Command as CommandNode, forEachChild, type SyntaxNode } from "unbash";
import { type Command, type Content, type Known, type Setting, type Text, UNKNOWN } from "../content.ts";
import { assignmentsOf, isArray, valuesOf } from "./assignments.ts";
import { unwrapped } from "./commands.ts";
import { eachChoice } from "./expansion/choices.ts";
import type { Reading } from "./expansion/reading.ts";
import { variableValue } from "./expansion/variables.ts";
import { Files } from "./files.ts";
import { addLinesRead } from "./lines-read.ts";
import { addNames, type FunctionBody, noNames } from "./names.ts";
import { parseScript, parseScripts } from "./parse.ts";
import { Places } from "./places.ts";
import { programOutput } from "./program-output.ts";
import { takesOutput } from "./redirections.ts";
import { type Input, NO_INPUT, ScriptOutput } from "./script-output.ts";
import { HOLE, known } from "./unknown.ts";

/** Steps of expansion, and commands that calls of functions, aliases and `eval` add. */
const STEPS = 400_000;
const CALLED_MOST = 4_000;
const CALLS_DEEPEST = 8;
/** Characters of nested texts with what they read in them: many may read the same megabytes. */
const ROOM = 8 * 2 ** 20;

/** Where a piece of script is read. */
interface Frame {
  readonly parameters: readonly string[] | undefined;
  readonly input: Input;
  readonly calls: number;
  readonly aliases: ReadonlySet<string>;
  /** Line of the call, while something else than the text itself is read. */
  readonly line: number | undefined;
}
const TOP: Frame = {
  parameters: undefined,
  input: NO_INPUT,
  calls: 0,
  aliases: new Set(),
  line: undefined,
};

/** One walk through a script, in the order of its text. */
export class Walk {
  private readonly commands: Command[] = [];
  private readonly settings: Setting[] = [];
  private readonly texts: Text[] = [];
  private readonly files = new Files();
  private readonly names = noNames();
  private readonly budget = { steps: STEPS, called: CALLED_MOST, room: ROOM };
  private readonly outputs = new ScriptOutput(this.names, this.budget);
  private readonly called = new Set<FunctionBody>();
  private saidSpent = false;
  private readonly source: string;
  private readonly places: Places;

  constructor(source: string, at: string) {
    this.source = source;
    this.places = new Places(source, at);
  }

  read(): Partial<Content> {
    try {
      this.visitAll();
    } catch {
      // Substitutions are parsed when they are looked at: one may nest too deep for the parser or for this walk.
      this.unread(this.places.ofLine(1));
    }
    const texts = [...this.texts, ...this.files.texts(this.commands)];
    return { commands: this.commands, settings: this.settings, texts };
  }

  private visitAll(): void {
    const scripts = parseScripts(this.source);
    if (scripts === undefined) {
      this.unread(this.places.ofLine(1));
      return;
    }
    for (const script of scripts) addNames(script, this.names);
    for (const script of scripts) this.visit(script, TOP);
    // A function that nothing here calls may be called from elsewhere.
    for (const body of [...this.names.functions.values()].flat())
      if (!this.called.has(body)) this.visit(body, { ...TOP, parameters: [HOLE] });
  }

  /** Something is started here that is too much to read. */
  private unread(at: string): void {
    this.commands.push({ at, words: [UNKNOWN], environment: {} });
  }

  private visit(node: SyntaxNode, frame: Frame): void {
    if (this.names.unread.has(node)) {
      this.unread(this.place(node, frame));
      return;
    }
    switch (node.type) {
      case "Command":
        this.command(node, frame);
        return;
      case "Pipeline":
        node.commands.forEach((command, index) => {
          const input = this.outputs.intoPipe(node.commands, index, frame.input);
          this.visit(command, { ...frame, input });
        });
        return;
      case "Redirected": {
        const input = this.outputs.redirectedInput(node.redirects, frame.input);
        this.visit(node.command, { ...frame, input });
        for (const redirect of node.redirects) this.visit(redirect, frame);
        if (!node.redirects.some(takesOutput)) return;
        this.eachReading(frame, (reading) => {
          const output = this.outputs.of(node.command, input, reading);
          this.files.redirect(this.place(node, frame), node.redirects, output, reading);
        });
        return;
      }
      case "Function":
        return;
      case "CommandExpansion":
      case "ProcessSubstitution": {
        // Positions in a script between escaped backquotes are its own.
        const line = node.script?.source === undefined ? frame.line : this.line(node, frame);
        if (node.script !== undefined) this.visit(node.script, { ...frame, line });
        return;
      }
      default:
        forEachChild(node, (child) => this.visit(child, frame));
    }
  }

  private command(node: CommandNode, frame: Frame): void {
    forEachChild(node, (child) => this.visit(child, frame));
    const at = this.place(node, frame);
    this.eachReading(frame, (reading) => {
      const environment = this.assign(node, at, reading);
      if (node.name !== undefined) this.start(node, node.name.text, frame, reading, environment, at);
    });
  }

  /** Adds the assignments of a command to the settings. Gives those that are for this command alone. */
  private assign(node: CommandNode, at: string, reading: Reading): Command["environment"] {
    const environment: Record<string, Known<string>> = {};
    for (const each of assignmentsOf(node)) {
      const { name, prefix } = each;
      const values = valuesOf(each, reading);
      values.forEach((value, index) => {
        const path = isArray(each) ? [name, String(index)] : [name];
        if (reading.choices.isNew(() => `${name}=${index}=${value}`))
          this.settings.push({ at, path, value: known(value) });
      });
      if (node.name !== undefined && prefix && !isArray(each)) environment[name] = known(values[0] ?? "");
    }
    return environment;
  }

  private start(
    node: CommandNode,
    name: string,
    frame: Frame,
    reading: Reading,
    environment: Command["environment"],
    at: string,
  ): void {
    const mayCall = frame.calls < CALLS_DEEPEST;
    const alias = frame.aliases.has(name) ? undefined : this.names.aliases.get(name);
    if (alias !== undefined) {
      const text = `${alias} ${node.args.map((each) => each.text).join(" ")}`;
      const inAlias = { ...frame, aliases: new Set([...frame.aliases, name]) };
      if (!this.runHere(text, inAlias, node))
        this.texts.push({ at: `${at} › ${name}`, text, format: "shell" });
      return;
    }
    const words = this.outputs.wordsOf(node, reading);
    const read = this.outputs.commandInput(node, frame.input)(reading);
    const input = this.budget.room < 0 ? undefined : read;
    if (read !== input) this.spent({ ...frame, line: this.line(node, frame) });
    if (!reading.choices.isNew(() => JSON.stringify([words, input]))) return;
    const [program = ""] = words;
    const bodies = this.names.functions.get(program);
    if (bodies !== undefined && mayCall) {
      const line = this.line(node, frame);
      this.call(bodies, { ...frame, parameters: words.slice(1), input: () => input, line });
      return;
    }
    if (input !== undefined) addLinesRead(words, input, this.names);
    const ran = program === "eval" && this.runHere(words.slice(1).join(" "), frame, node);
    const found = unwrapped(
      { at, words, environment, ...(input === undefined ? {} : { input }) },
      (variable) => (this.names.variables.has(variable) ? variableValue(variable, reading) : undefined),
    );
    this.commands.push(...found.commands);
    if (input !== undefined) for (const { text } of found.texts) this.budget.room -= text.length;
    // What `eval` runs was read where it stands, with this script's functions.
    if (!ran) this.texts.push(...found.texts);
    this.files.copy(at, found.commands.at(-1), input);
    if (node.redirects.some(takesOutput))
      this.files.redirect(
        at,
        node.redirects,
        programOutput(words, () => input),
        reading,
      );
  }

  private call(bodies: readonly FunctionBody[], frame: Frame): void {
    for (const body of bodies) {
      this.budget.called -= 1;
      if (this.budget.called < 0) {
        this.spent(frame);
        return;
      }
      this.called.add(body);
      this.visit(body, { ...frame, calls: frame.calls + 1 });
    }
  }

  /** A text that runs where it stands: an alias, `eval`. False, when it was too much to be read here. */
  private runHere(text: string, frame: Frame, node: SyntaxNode): boolean {
    if (frame.calls >= CALLS_DEEPEST) return false;
    this.budget.called -= 1 + (text.length >> 6);
    const here = { ...frame, calls: frame.calls + 1, line: this.line(node, frame) };
    const script = this.budget.called < 0 ? undefined : parseScript(text);
    if (script === undefined) {
      this.spent(here);
      return false;
    }
    addNames(script, this.names);
    this.visit(script, here);
    return true;
  }

  /** What is called from here on is no longer read with what it is called with: once said, it holds for the rest. */
  private spent({ line = 1 }: Frame): void {
    if (!this.saidSpent) this.unread(this.places.ofLine(line));
    this.saidSpent = true;
  }

  private eachReading(frame: Frame, read: (reading: Reading) => void): void {
    if (frame.calls > 0) this.budget.called -= 1;
    eachChoice((choices) =>
      read({
        variables: this.names.variables,
        parameters: frame.parameters,
        shifts: this.names.shifts,
        choices,
        limits: new Map(),
        budget: this.budget,
        depth: 0,
        output: (part, reading) => this.outputs.ofSubstitution(part, reading, frame.input),
      }),
    );
  }

  private line(node: SyntaxNode, frame: Frame): number {
    return frame.line ?? this.places.lineOf(node.pos);
  }

  private place(node: SyntaxNode, frame: Frame): string {
    return this.places.ofLine(this.line(node, frame));
  }
}
