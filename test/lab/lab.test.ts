import { spawnSync } from "node:child_process";
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
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NODE_MODULES, ROOT } from "../../scripts/setup/paths.ts";
import { startTime } from "../../scripts/setup/processes.ts";

/** A checkout of its own, where programs that do nothing stand for the registry and the API. */
let checkout: string;
const at = (name: string): string => join(checkout, name);

beforeEach(() => {
  // A space separates for ssh; the others mean something in an address.
  checkout = mkdtempSync(join(tmpdir(), "lab of 100%20#?-"));
  for (const name of ["scripts/setup", "scripts/guest/vendor-data.yaml", "test/lab"]) {
    cpSync(join(ROOT, name), at(name), { recursive: true });
  }
  symlinkSync(NODE_MODULES, at("node_modules"));
  write("package.json", '{"type": "module"}');
  write("test/lab/images/kvm.ts", "export const probeKvm = async () => false;");
  write(
    ".cache/tools/python/bin/python",
    `#!/bin/sh\necho "arguments $*"\necho ready https://\nexec sleep 60\n`,
  );
  write(
    "bin/docker-registry",
    `#!${process.execPath}
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
const { addr, headers } = JSON.parse(readFileSync(process.argv[3], "utf8")).http;
const [host, port] = addr.split(":");
createServer((_, response) => response.setHeaders(new Map(Object.entries(headers))).end()).listen(Number(port), host);
`,
  );
  mkdirSync(at(".cache/images/registry"), { recursive: true });
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
}

/** Runs a text in which `lab` is the copy's lab. @returns what it logged as JSON, and what it said besides. */
function withLab<T>(text: string): { result: T; said: string } {
  const program = `import { Lab } from "./test/lab/lab.ts";
    const lab = await Lab.open("one");
    try { console.log(JSON.stringify(await (async () => { ${text} })())); } finally { await lab.down(); }`;
  const env = { ...process.env, PATH: `${at("bin")}${delimiter}${process.env["PATH"]}` };
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: checkout,
    env,
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return { result: JSON.parse(stdout) as T, said: stderr };
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { server, port: typeof address === "object" && address !== null ? address.port : 0 };
}

test("a lab whose ports others have taken moves to free ones, says so once, and stays there", async () => {
  const others = await Promise.all([listening(), listening(), listening(), listening()]);
  const [api, image, ssh, registry] = others.map(({ port }) => port);
  const ports = { api, image, ssh, registry };
  write(".cache/lab/one/lab.json", JSON.stringify({ ports, token: "a@pve!b=c", passphrase: "p" }));
  type Ports = Record<keyof typeof ports, number>;
  const { result, said } = withLab<{ first: Ports; again: Ports; kept: Ports; log: string }>(`
    const { readFileSync } = await import("node:fs");
    await lab.up();
    const first = lab.ports;
    await lab.up();
    const kept = JSON.parse(readFileSync(lab.folder + "/lab.json", "utf8")).ports;
    return { first, again: lab.ports, kept, log: readFileSync(lab.folder + "/api.log", "utf8") };`);
  for (const { server } of others) server.close();
  const { first } = result;
  expect(said).toBe(
    `Ports of the lab that another program has taken: api ${api} is now ${first.api}, image ${image} is now ${first.image}, ssh ${ssh} is now ${first.ssh}, registry ${registry} is now ${first.registry}\n`,
  );
  expect(new Set([...Object.values(first), ...Object.values(ports)]).size).toBe(8);
  expect(result.again).toEqual(first);
  expect(result.kept).toEqual(first);
  expect(result.log).toContain(
    `--port ${first.api} --image-port ${first.image} --images ${at(".cache/images")} --ssh-port ${first.ssh} --registry-port ${first.registry}`,
  );
});

test("everything that a lab started is ended with it, and its folder is gone", () => {
  const { result } = withLab<number[]>(`
    const { readFileSync } = await import("node:fs");
    await lab.up();
    return ["api", "registry"].map((name) => Number(readFileSync(lab.folder + "/" + name + ".pid", "utf8").split(" ")[0]));`);
  expect(result.map(startTime)).toEqual([undefined, undefined]);
  expect(existsSync(at(".cache/lab/one"))).toBe(false);
});

test("commands at the same time make one lab, and start everything once", () => {
  const { result } = withLab<{ tokens: string[]; starts: number }>(`
    const { readFileSync } = await import("node:fs");
    await lab.down();
    const labs = await Promise.all([Lab.open("one"), Lab.open("one"), Lab.open("one")]);
    await Promise.all(labs.map((lab) => lab.up()));
    return {
      tokens: labs.map((lab) => lab.token),
      starts: readFileSync(lab.folder + "/api.log", "utf8").split("ready https://").length - 1,
    };`);
  expect(new Set(result.tokens).size).toBe(1);
  expect(result.starts).toBe(1);
});

test("a lab without its record is ended all the same", () => {
  const { result } = withLab<{ pids: number[]; ended: string[] }>(`
    const { readFileSync, rmSync } = await import("node:fs");
    await lab.up();
    const pids = ["api", "registry"].map((name) => Number(readFileSync(lab.folder + "/" + name + ".pid", "utf8").split(" ")[0]));
    rmSync(lab.folder + "/lab.json");
    return { pids, left: Lab.leftovers("one"), ended: await Lab.down("one") };`);
  expect(result).toMatchObject({ left: true, ended: ["api", "registry"] });
  expect(result.pids.map(startTime)).toEqual([undefined, undefined]);
  expect(existsSync(at(".cache/lab/one"))).toBe(false);
});

test("the paths of the checkout reach ssh whole", () => {
  const { result } = withLab<string[]>(`return lab.sshArgs("ssh-ed25519 AAAA", "someone");`);
  const { stdout } = spawnSync("ssh", ["-F", "none", "-G", ...result], { encoding: "utf8" });
  // ssh has expanded the first by now, and does it later with the second.
  expect(stdout.split("\n")).toContain(`userknownhostsfile ${at(".cache/lab/one/known_hosts")}`);
  expect(stdout.split("\n")).toContain(
    `identityfile ${at(".cache/lab/one/deploy-key").replaceAll("%", "%%")}`,
  );
});

test("the address of the state names the folder, whatever is in its path", () => {
  const { result } = withLab<string>(`
    return (await lab.environment({ binFolders: [] })).PULUMI_BACKEND_URL;`);
  expect(fileURLToPath(result)).toBe(at(".cache/lab/one/state"));
});
