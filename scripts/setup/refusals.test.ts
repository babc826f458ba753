import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NODE_MODULES, ROOT } from "./paths.ts";

/** A checkout of its own: the set-up finds its folders from where it lies. */
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "refusals-"));
  writeFileSync(join(checkout, "package.json"), '{"type":"module"}');
  cpSync(join(ROOT, "scripts/setup"), join(checkout, "scripts/setup"), { recursive: true });
  symlinkSync(NODE_MODULES, join(checkout, "node_modules"));
  mkdirSync(join(checkout, "test/lab"), { recursive: true });
  symlinkSync(join(ROOT, "test/lab/plugins"), join(checkout, "test/lab/plugins"));
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const at = (name: string): string => join(checkout, name);

/** A file in the place of a program: it fails at once, or waits to be interrupted. */
function write(name: string, text: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
  return at(name);
}

/** Runs a module text in the copy. `interruptAt`: the signal of Ctrl-C when that file appears. */
async function run(text: string, env: NodeJS.ProcessEnv = {}, interruptAt?: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
    cwd: checkout,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    said += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    said += data.toString();
  });
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  if (interruptAt !== undefined) {
    await expect.poll(() => existsSync(interruptAt), { timeout: 20_000 }).toBe(true);
    child.kill("SIGINT");
  }
  const [status, signal] = await ended;
  return { said, status, signal };
}

const DOWNLOAD = `import { downloadEngine } from "./scripts/setup/engine/download.ts";
  import { main } from "./scripts/setup/main.ts";
  await main(async () => console.log(JSON.stringify(await downloadEngine())));`;
const pluginsWith = (pulumi: string): string => `import { ensurePlugins } from "./scripts/setup/plugins.ts";
  import { main } from "./scripts/setup/main.ts";
  const engine = { pulumi: ${JSON.stringify(pulumi)}, version: "3.274.1", source: "path", binFolders: [] };
  await main(async () => console.log(await ensurePlugins(engine)));`;

test("a refused download of the engine is remembered, and the message names the file to remove", async () => {
  const env = { npm_execpath: write("npm/npm-cli.js", 'console.error("no network"); process.exit(1);') };
  expect((await run(DOWNLOAD, env)).said).toContain('{"reason":"no network"}');
  const file = at(".cache/state/refused-pulumi-cli.json");
  expect(existsSync(file)).toBe(true);
  expect((await run(DOWNLOAD, env)).said).toContain(`tried again a day later, or now after: rm '${file}'`);
});

test("an interrupted download of the engine is not remembered, and no other way is tried", async () => {
  const started = at("started");
  const env = {
    npm_execpath: write(
      "npm/npm-cli.js",
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(started)}, ""); setTimeout(() => {}, 60_000);`,
    ),
  };
  const { said, signal } = await run(DOWNLOAD, env, started);
  expect(signal).toBe("SIGINT");
  expect(said).not.toContain("reason");
  expect(existsSync(at(".cache/state"))).toBe(false);
});

test("refused plugins are remembered, stand-ins take their place, and the message names the file to remove", async () => {
  const pulumi = write("pulumi", "#!/bin/sh\necho no network; exit 1\n");
  expect((await run(pluginsWith(pulumi))).said).toMatch(/^stand-in$/m);
  const file = at(".cache/state/refused-plugins.json");
  expect(existsSync(file)).toBe(true);
  expect((await run(pluginsWith(pulumi))).said).toContain(`or now after: rm '${file}'`);
});

test("an interrupted download of a plugin is not remembered, and no stand-in takes its place", async () => {
  const started = at("started");
  const pulumi = write("pulumi", `#!/bin/sh\n: >'${started}'\nexec sleep 60\n`);
  const { said, signal } = await run(pluginsWith(pulumi), {}, started);
  expect(signal).toBe("SIGINT");
  expect(said).not.toContain("stand-in");
  expect(existsSync(at(".cache/state"))).toBe(false);
  expect(existsSync(at(".cache/pulumi/plugins"))).toBe(false);
});
