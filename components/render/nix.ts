/** Values as text in the Nix language, formatted as nixfmt would (RFC 166): pure functions, no I/O. */

export type NixValue =
  | string
  | number
  | boolean
  | readonly NixValue[]
  | NixSet
  | Expression
  | Application
  | Lambda;

/** An attribute set in the order that it is written. An undefined attribute is left out. */
export interface NixSet {
  readonly [name: string]: NixValue | Commented | undefined;
}

/** Stands as written, for what is no plain value. Later lines are indented with the first. */
export class Expression {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A function by name, applied to one argument. */
export class Application {
  readonly fn: string;
  readonly argument: NixValue;
  constructor(fn: string, argument: NixValue) {
    this.fn = fn;
    this.argument = argument;
  }
}

/** A function: its parameters as written, and what it gives, behind the bindings of a `let`. */
export class Lambda {
  readonly parameters: string;
  readonly body: NixValue;
  readonly bindings: NixSet;
  constructor(parameters: string, body: NixValue, bindings: NixSet = {}) {
    this.parameters = parameters;
    this.body = body;
    this.bindings = bindings;
  }
}

/** An attribute's value with a comment above the attribute. */
export class Commented {
  readonly comment: string;
  readonly value: NixValue;
  constructor(comment: string, value: NixValue) {
    this.comment = comment;
    this.value = value;
  }
}

/** A file of one expression, under a header that says who wrote it. */
export function nixFile(value: NixValue): string {
  return `# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.\n${nix(value)}\n`;
}

/**
 * A value as Nix text.
 * @param indent what stands before its later lines; default: nothing.
 * @throws RangeError for what Nix cannot hold: a NUL, half a surrogate pair, a number that is no safe integer.
 */
export function nix(value: NixValue, indent = ""): string {
  if (typeof value === "string") return lines(value, indent) ?? quoted(value);
  if (typeof value === "number") return integer(value);
  if (typeof value === "boolean") return String(value);
  if (value instanceof Expression) return value.text.replaceAll(/\n(?!\n)/g, `\n${indent}`);
  if (value instanceof Application) return `${value.fn} ${nix(value.argument, indent)}`;
  if (value instanceof Lambda) return lambda(value, indent);
  if (isList(value)) return list(value, indent);
  const written = attributes(value, `${indent}  `);
  return written === "" ? "{ }" : `{\n${written}${indent}}`;
}

/** A text of several lines as Nix' indented string, for people; undefined for one that it would not hold as it is. */
function lines(text: string, indent: string): string | undefined {
  if (!/^(?:[\x20-\x7e]*\n){2,}$/.test(text) || /''|'\$/.test(text)) return undefined;
  const all = text.slice(0, -1).split("\n");
  // Nix takes away the indentation that all lines share, and blanks alone are an empty line.
  if (!all.some((line) => /^[^ ]/.test(line)) || all.some((line) => /^ +$/.test(line))) return undefined;
  const written = all.map((line) => (line === "" ? "" : `${indent}  ${line.replaceAll(`\${`, `''\${`)}`));
  return `''\n${written.join("\n")}\n${indent}''`;
}

function quoted(text: string): string {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new RangeError(
      `a Nix string holds neither a NUL nor half a surrogate pair: ${JSON.stringify(text)}`,
    );
  }
  // A bare carriage return would be read as a line feed.
  const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return `"${text.replaceAll(/[\\"\n\r\t]|\$(?=\{)/g, (character) => escapes[character] ?? `\\${character}`)}"`;
}

function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`only safe integers are written to Nix: ${value}`);
  return String(value);
}

function lambda({ parameters, body, bindings }: Lambda, indent: string): string {
  const local = attributes(bindings, `${indent}  `);
  const before = local === "" ? "" : `let\n${local}${indent}in\n${indent}`;
  return `${parameters}:\n${indent}${before}${nix(body, indent)}`;
}

/** Several elements stand on a line each, as does one that is long or takes several lines. */
function list(values: readonly NixValue[], indent: string): string {
  const elements = values.map((value) => element(value, `${indent}  `));
  if (elements.length === 0) return "[ ]";
  const [only = ""] = elements;
  if (elements.length === 1 && only.length <= 60 && !only.includes("\n")) return `[ ${only} ]`;
  return `[\n${elements.map((text) => `${indent}  ${text}\n`).join("")}${indent}]`;
}

function element(value: NixValue, indent: string): string {
  const text = nix(value, indent);
  const several = value instanceof Application || value instanceof Lambda;
  return several || (typeof value === "number" && value < 0) ? `(${text})` : text;
}

/** A blank line stands before a commented attribute, and around a long one at the top of a file. */
function attributes(set: NixSet, indent: string): string {
  let written = "";
  let previous = "";
  for (const [name, value] of Object.entries(set)) {
    if (value === undefined) continue;
    const next = attribute(name, value, indent);
    const long = [previous, next].some((text) => text.indexOf("\n") < text.length - 1);
    const apart = next.trimStart().startsWith("#") || (indent === "  " && long);
    written += `${previous !== "" && apart ? "\n" : ""}${next}`;
    previous = next;
  }
  return written;
}

/** `a.b.c = value;`: a set of a single attribute is written as a path. */
function attribute(first: string, given: NixValue | Commented, indent: string): string {
  const path = [first];
  let comments = "";
  let value: NixValue | Commented = given;
  for (;;) {
    if (value instanceof Commented) {
      comments += value.comment.replaceAll(/^/gm, `${indent}# `).concat("\n");
      value = value.value;
      continue;
    }
    const inner = isSet(value) ? Object.entries(value).filter((entry) => entry[1] !== undefined) : [];
    const [[name, only] = []] = inner;
    if (inner.length !== 1 || name === undefined || only === undefined) break;
    path.push(name);
    value = only;
  }
  const name = path.map(attributeName).join(".");
  const text =
    value instanceof Lambda ? `\n${indent}  ${nix(value, `${indent}  `)}` : ` ${nix(value, indent)}`;
  return `${comments}${indent}${name} =${text};\n`;
}

const KEYWORDS = new Set("assert else if in inherit let or rec then with".split(" "));

function attributeName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_'-]*$/.test(name) && !KEYWORDS.has(name) ? name : quoted(name);
}

function isList(value: NixValue): value is readonly NixValue[] {
  return Array.isArray(value);
}

function isSet(value: NixValue): value is NixSet {
  const special = [Expression, Application, Lambda].some((type) => value instanceof type);
  return typeof value === "object" && !special && !isList(value);
}
