// What an SDK's own type declarations say about a resource's arguments.
// The declarations are generated and uniform, so their syntax is enough: no type checker, no second schema.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type * as typescript from "typescript";

export type Shape =
  | { readonly kind: "string" | "number" | "boolean" | "any" }
  | { readonly kind: "array" | "map"; readonly of: Shape }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "object"; readonly fields: { readonly [name: string]: Field } };
export type Field = { readonly shape: Shape; readonly required: boolean };
export type ObjectShape = Extract<Shape, { kind: "object" }>;

/** `file` is a module of the package without its extension, `args` an interface that it declares. */
export type SdkArgs = { readonly file: string; readonly args: string };

type SdkTypes = { readonly revision: string; readonly shapes: { readonly [key: string]: ObjectShape } };

const REVISION = "1";
const CACHE = fileURLToPath(new URL("../../../../.cache/plugins/", import.meta.url));
const require = createRequire(import.meta.url);

export function sdkVersion(packageName: string): string {
  const manifest = require(`${packageName}/package.json`) as { readonly version: string };
  return manifest.version;
}

/** The shapes of the wanted arguments, from the cache where it holds the same question for the same version. */
export function sdkShapes(packageName: string, wanted: readonly SdkArgs[]): SdkTypes["shapes"] {
  const file = join(CACHE, `${packageName.replace("/", "+")}-${sdkVersion(packageName)}.json`);
  const revision = `${REVISION} ${wanted.map(shapeKey).join(" ")}`;
  const cached = readCache(file);
  if (cached?.revision === revision) return cached.shapes;
  const root = dirname(require.resolve(`${packageName}/package.json`));
  const read = reader(require("typescript") as typeof typescript);
  const shapes = Object.fromEntries(wanted.map((each) => [shapeKey(each), read(root, each)]));
  writeCache(file, { revision, shapes });
  return shapes;
}

export function shapeKey({ file, args }: SdkArgs): string {
  return `${file}#${args}`;
}

function readCache(file: string): SdkTypes | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as SdkTypes;
  } catch {
    return undefined;
  }
}

/** Two plugins may start at once: each writes a file of its own, and the rename is atomic. */
function writeCache(file: string, content: SdkTypes): void {
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(content));
  renameSync(own, file);
}

function reader(ts: typeof typescript): (root: string, wanted: SdkArgs) => ObjectShape {
  const parsed = new Map<string, typescript.SourceFile>();

  function parse(file: string): typescript.SourceFile {
    const known = parsed.get(file);
    if (known !== undefined) return known;
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    parsed.set(file, source);
    return source;
  }

  function declaration(statements: readonly typescript.Statement[], path: readonly string[]) {
    const [head, ...rest] = path;
    for (const statement of statements) {
      if (ts.isModuleDeclaration(statement) && statement.name.text === head && rest.length > 0) {
        const body = statement.body;
        if (body !== undefined && ts.isModuleBlock(body)) return declaration(body.statements, rest);
      }
      if (rest.length > 0) continue;
      if (ts.isInterfaceDeclaration(statement) && statement.name.text === head) return statement;
      if (ts.isVariableStatement(statement)) {
        const found = statement.declarationList.declarations.find(({ name }) => name.getText() === head);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** `inputs.remote.ConnectionArgs` in a file that says `import * as inputs from "../types/input"`. */
  function reference(from: typescript.SourceFile, name: string): Shape {
    const [head = "", ...rest] = name.split(".");
    if (head === "pulumi") return { kind: "any" };
    for (const statement of from.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const bindings = statement.importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamespaceImport(bindings) || bindings.name.text !== head) continue;
      return named(resolve(dirname(from.fileName), statement.moduleSpecifier.text), rest);
    }
    return inFile(from, name.split("."));
  }

  /** A module path is a file, or a folder with an index that names the sub-folders of an enum. */
  function named(module: string, path: readonly string[]): Shape {
    try {
      return inFile(parse(`${module}.d.ts`), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return inFile(parse(join(module, ...path.slice(0, -1), "index.d.ts")), path.slice(-1));
    }
  }

  function inFile(source: typescript.SourceFile, path: readonly string[]): Shape {
    const found = declaration(source.statements, path);
    if (found === undefined) throw new Error(`${source.fileName} declares no ${path.join(".")}`);
    if (ts.isInterfaceDeclaration(found)) return members(source, found);
    const literals = (found.type as typescript.TypeLiteralNode).members.map((member) =>
      JSON.parse((member as typescript.PropertySignature).type?.getText() ?? '""'),
    );
    return { kind: "enum", values: literals as string[] };
  }

  function members(source: typescript.SourceFile, from: typescript.InterfaceDeclaration): ObjectShape {
    const fields: { [name: string]: Field } = {};
    for (const member of from.members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      fields[(member.name as typescript.Identifier).text] = {
        shape: shapeOf(source, member.type),
        required: member.questionToken === undefined,
      };
    }
    return { kind: "object", fields };
  }

  function shapeOf(source: typescript.SourceFile, node: typescript.TypeNode): Shape {
    if (ts.isArrayTypeNode(node)) return { kind: "array", of: shapeOf(source, node.elementType) };
    if (ts.isUnionTypeNode(node)) {
      const some = node.types.filter((type) => type.kind !== ts.SyntaxKind.UndefinedKeyword);
      const [only, more] = some;
      return only !== undefined && more === undefined ? shapeOf(source, only) : { kind: "any" };
    }
    if (ts.isTypeLiteralNode(node)) {
      const index = node.members.find(ts.isIndexSignatureDeclaration);
      return index === undefined ? { kind: "any" } : { kind: "map", of: shapeOf(source, index.type) };
    }
    if (ts.isTypeReferenceNode(node)) {
      const name = node.typeName.getText(source);
      const inner = node.typeArguments?.[0];
      if (name === "pulumi.Input" && inner !== undefined) return shapeOf(source, inner);
      return reference(source, name);
    }
    if (node.kind === ts.SyntaxKind.StringKeyword) return { kind: "string" };
    if (node.kind === ts.SyntaxKind.NumberKeyword) return { kind: "number" };
    if (node.kind === ts.SyntaxKind.BooleanKeyword) return { kind: "boolean" };
    return { kind: "any" };
  }

  return (root, { file, args }) => inFile(parse(join(root, `${file}.d.ts`)), [args]) as ObjectShape;
}
