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
  const names = ["scripts/setup", "scripts/guest/vendor-data.yaml", "test/lab"];
  for (const name of [
    ...names,
    "components/guest/tool.ts",
    "components/guest/microvm/host-tool.ts",
    "components/render/nixos/host-paths.ts",
  ]) {
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
  // chopper's image, and a QEMU that greets on the port that it should forward.
  write(
    "test/lab/chopper/image.ts",
    `const at = (name) => "${at(".cache/images").replaceAll("\\", "\\\\")}/" + name;
export const ensureChopperImage = async () => ({ disk: at("chopper.qcow2"), kernel: at("vmlinuz"), initrd: at("initrd") });`,
  );
  for (const name of ["chopper.qcow2", "chopper.qcow2.recipe", "vmlinuz", "initrd"]) {
    write(`.cache/images/${name}`, name);
  }
  write("bin/qemu-img", `#!/bin/sh\nfor last; do :; done\necho "$*" > "$last"\n`);
  write(
    "bin/qemu-system-x86_64",
    `#!${process.execPath}
import { createServer } from "node:net";
const port = /hostfwd=tcp:127.0.0.1:(\\d+)-/.exec(process.argv.join(" "))[1];
console.log(process.argv.slice(2).join(" "));
createServer((socket) => socket.end("SSH-2.0-lab\\r\\n")).listen(Number(port), "127.0.0.1");
setTimeout(() => process.exit(), 60_000);
`,
  );
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
}

/** Runs a text in which `lab` is the copy's lab. @returns what it logged as JSON, and what it said besides. */
function withLab<T>(text: string, stack = "pve-sbx"): { result: T; said: string } {
  const program = `import { Lab } from "./test/lab/lab.ts";
    const lab = await Lab.open("one", "${stack}");
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
  const { result } = withLab<string[]>(
    `return lab.sshArgs({ hostKey: "ssh-ed25519 AAAA", user: "someone", address: "10.0.0.1" });`,
  );
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

test("chopper is started once, with a host key that is known before, and ended with its lab", () => {
  type Result = {
    pids: number[];
    again: number[];
    qemu: string;
    key: string;
    credential: string;
    log: string;
  };
  const { result } = withLab<Result>(
    `
    const { readFileSync } = await import("node:fs");
    const { parse } = await import("yaml");
    const read = (name) => readFileSync(lab.folder + "/chopper/" + name, "utf8");
    await lab.up();
    const pids = lab.machines();
    await lab.up();
    const overrides = await lab.site.overrides();
    return {
      pids,
      again: lab.machines(),
      qemu: read("qemu.log"),
      key: overrides.find(({ path }) => path[1] === "hostKey").value,
      credential: read("tmpfiles.credential"),
      log: read("disk.qcow2"),
    };`,
    "chopper",
  );
  const [pid] = result.pids;
  expect(result.again).toEqual([pid]);
  expect(startTime(pid ?? 0)).toBeUndefined();
  expect(existsSync(at(".cache/lab/one"))).toBe(false);
  expect(result.log).toBe("create -q -f qcow2 -b base.qcow2 -F qcow2 disk.qcow2.unfinished\n");
  expect(result.qemu).toContain("-smbios type=11,path=tmpfiles.credential");
  const given = Buffer.from(result.credential.split("tmpfiles.extra=")[1] ?? "", "base64").toString();
  const secret = /ssh_host_ed25519_key 0600 root root - (\S+)/.exec(given)?.[1] ?? "";
  write("host-key", Buffer.from(secret, "base64").toString());
  chmodSync(at("host-key"), 0o600);
  const { stdout } = spawnSync("ssh-keygen", ["-y", "-f", at("host-key")], { encoding: "utf8" });
  expect(stdout.trim().startsWith(result.key)).toBe(true);
  expect(result.key).toMatch(/^ssh-ed25519 \S{68}$/);
});

test("a chopper whose QEMU ends is no lab that is up: its words are told", () => {
  write("bin/qemu-system-x86_64", "#!/bin/sh\necho it cannot\nexit 1\n");
  const { result } = withLab<string>("return lab.up().catch((error) => error.message);", "chopper");
  expect(result).toMatch(/the lab's chopper did not start: QEMU ended\..*\nit cannot/s);
});

test("a disk stays with the image that it was made from, and says so when there is another", () => {
  const { result, said } = withLab<string>(
    `
    const { readFileSync, writeFileSync, rmSync } = await import("node:fs");
    const { stop } = await import("./test/lab/processes.ts");
    await lab.up();
    await stop(lab.folder + "/chopper.pid");
    rmSync(".cache/images/chopper.qcow2");
    writeFileSync(".cache/images/chopper.qcow2", "other");
    writeFileSync(".cache/images/chopper.qcow2.recipe", "other");
    await lab.up();
    return readFileSync(lab.folder + "/chopper/base.qcow2", "utf8");`,
    "chopper",
  );
  expect(result).toBe("chopper.qcow2");
  expect(said).toContain("This lab's chopper was made from an earlier image.");
});

test("the way into chopper's guest goes through chopper, and both keys are pinned", () => {
  const { result } = withLab<{ args: string[]; known: string[]; port: number }>(
    `
    const { readFileSync } = await import("node:fs");
    await lab.up();
    const args = lab.sshArgs({ hostKey: "ssh-ed25519 AAAA", user: "someone", address: "192.168.20.51" });
    const known = ["known_hosts.guest", "known_hosts"].map((name) => readFileSync(lab.folder + "/chopper/" + name, "utf8"));
    return { args, known, port: lab.ports.ssh };`,
    "chopper",
  );
  const { stdout } = spawnSync("ssh", ["-F", "none", "-G", ...result.args], { encoding: "utf8" });
  expect(stdout).toMatch(/^hostname 192\.168\.20\.51$/m);
  expect(stdout).toMatch(/^stricthostkeychecking true$/m);
  expect(result.known[0]).toBe("192.168.20.51 ssh-ed25519 AAAA\n");
  expect(result.known[1]).toMatch(new RegExp(`^\\[127\\.0\\.0\\.1\\]:${result.port} ssh-ed25519 \\S{68}\n$`));
  // ssh expands %% and gives the rest to a shell.
  const jump = /^proxycommand (.*)$/m.exec(stdout)?.[1]?.replaceAll("%%", "%") ?? "";
  write("bin/ssh", `#!/bin/sh\nPATH=\${PATH#*:}\nexec ssh -F none -G "$@"\n`);
  const env = { ...process.env, PATH: `${at("bin")}${delimiter}${process.env["PATH"]}` };
  const inner = spawnSync("sh", ["-c", jump], { encoding: "utf8", env }).stdout;
  expect(inner).toMatch(/^hostname 127\.0\.0\.1$/m);
  expect(inner).toMatch(/^user mhelton$/m);
  expect(inner).toMatch(/^stricthostkeychecking true$/m);
  expect(inner.split("\n")).toContain(`userknownhostsfile ${at(".cache/lab/one/chopper/known_hosts")}`);
});

test("a lab of one stack is not opened for another", () => {
  const { result } = withLab<string>(`return Lab.open("one", "chopper").catch((error) => error.message);`);
  expect(result).toMatch(/the lab one .* is one of the stack pve-sbx, not of chopper/);
});
