/** The executables beside a built engine: small shell files that start our Node, whatever `node` is on PATH. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ENGINE_BIN, NODE, NODE_BIN, ROOT } from "../paths.ts";
import { quote } from "../quote.ts";
import { writeAtomically } from "../stamps.ts";

const LANGUAGE_HOST = join(ROOT, "scripts/setup/engine/language-host.ts");

/** Written again only when they differ, for example after Node moved. */
export function ensureWrappers(folder = ENGINE_BIN): void {
  writeExecutable(join(folder, "pulumi-language-nodejs"), [
    "# This project's own language host, for an engine built from source.",
    `exec ${quote(NODE)} ${quote(LANGUAGE_HOST)} "$@"`,
  ]);
  // The engine starts it in the program's folder. The SDK's own script of this name does the same with any node.
  writeExecutable(join(folder, "pulumi-resource-pulumi-nodejs"), [
    "# Dynamic providers: they are the program's own SDK, run by our Node.",
    `PATH=${quote(NODE_BIN)}:$PATH`,
    "export PATH",
    `script=$(node -p 'require.resolve("@pulumi/pulumi/cmd/dynamic-provider")') || exit 1`,
    'exec node "$script" "$@"',
  ]);
}

/** A shell file; nothing is written when it already is as wanted. */
export function writeExecutable(file: string, lines: readonly string[]): void {
  const content = `${["#!/bin/sh", ...lines].join("\n")}\n`;
  try {
    if (readFileSync(file, "utf8") === content) return;
  } catch {
    // It is not there yet.
  }
  writeAtomically(file, content, 0o755);
}
