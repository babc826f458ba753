import { readFileSync, writeFileSync } from "node:fs";
import { stackFileSchema } from "../components/config/json-schema.ts";
import { gatePages, withGateTable } from "./gate-table.ts";
import { bashCompletion } from "./guest/completion/bash.ts";
import { type Commands, parseCommands } from "./guest/completion/commands.ts";
import { zshCompletion } from "./guest/completion/zsh.ts";

/** Files that derive from the code, in whole or in part, each with the function that makes its text of the one there is. */
const GENERATED: ReadonlyArray<readonly [path: string, text: (present: string) => string]> = [
  ["components/config/schema.json", () => `${JSON.stringify(stackFileSchema(), undefined, 2)}\n`],
  ["policy/GATES.md", gatePages],
  ["policy/README.md", withGateTable],
  ["README.md", withGateTable],
  ["scripts/guest/completion/hermes.bash", () => bashCompletion(hermesCommands())],
  ["scripts/guest/completion/_hermes", () => zshCompletion(hermesCommands())],
];

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== "--check");
if (unknown !== undefined) {
  console.error(
    `Unknown argument ${JSON.stringify(unknown)}. Allowed: --check, which only looks; without it, files are written.`,
  );
  process.exit(2);
}
const check = args.includes("--check");
let stale = 0;
for (const [path, text] of GENERATED) {
  const file = new URL(`../${path}`, import.meta.url);
  const present = read(file);
  const right = text(present ?? "");
  if (present === right) continue;
  if (check) {
    stale += 1;
    console.error(`${path} is stale: run \`npm run generate\` and commit it.`);
  } else {
    writeFileSync(file, right);
    console.log(`${path} written`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function hermesCommands(): Commands {
  return parseCommands(readFileSync(new URL("guest/completion/commands.json", import.meta.url), "utf8"));
}

function read(file: URL): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
