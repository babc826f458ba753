import { readFileSync, writeFileSync } from "node:fs";
import { stackFileSchema } from "../components/config/json-schema.ts";

/** Files that derive from the code, each with the function that makes its text. */
const GENERATED: ReadonlyArray<readonly [path: string, text: () => string]> = [
  ["components/config/schema.json", () => `${JSON.stringify(stackFileSchema(), undefined, 2)}\n`],
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
  if (read(file) === text()) continue;
  if (check) {
    stale += 1;
    console.error(`${path} is stale: run \`npm run generate\` and commit it.`);
  } else {
    writeFileSync(file, text());
    console.log(`${path} written`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function read(file: URL): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
