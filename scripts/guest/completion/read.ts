import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commandsJson, readCommands } from "./commands.ts";

/** For a new version of Hermes: `node scripts/guest/completion/read.ts hermes > …/commands.json`, then `npm run generate`. */
const [command, ...first] = process.argv.slice(2);
if (command === undefined) {
  console.error("usage: node read.ts COMMAND [ARGUMENT...], the command that runs the Hermes to be read");
  process.exit(2);
}
const run = promisify(execFile);
process.stdout.write(
  commandsJson(await readCommands(async (args) => (await run(command, [...first, ...args])).stdout)),
);
