import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Driver } from "./base/driver.ts";
import { isSecret, reveal, revealAll, secret, UNKNOWN, type Values } from "./base/values.ts";
import { freePort, type Sshd, startSshd } from "./command/sshd.ts";

const LOCAL = "command:local:Command";
const REMOTE = "command:remote:Command";

// SSH handshakes take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let plugin: Driver;
let sshd: Sshd;
let connection: Values;
beforeAll(async () => {
  [plugin, sshd] = await Promise.all([Driver.start("command", { SSH_AUTH_SOCK: "" }), startSshd()]);
  const { port, user, privateKey, hostKeys } = sshd;
  connection = { host: "127.0.0.1", port, user, privateKey, hostKey: hostKeys.ed25519, dialErrorLimit: 0 };
});
afterAll(() => {
  plugin.stop();
  sshd.stop();
});

describe("the command stand-in, on this machine", () => {
  it("runs create with stdin and environment, and cuts one newline from the outputs", async () => {
    const inputs = { create: 'cat; echo "$WHO" >&2', stdin: "in\n\n", environment: { WHO: "me" } };
    const { id, outputs } = await plugin.create(LOCAL, inputs);
    expect(outputs).toEqual({ ...inputs, stdout: "in\n", stderr: "me" });
    expect(id).toMatch(/^thing[0-9a-f]{8}$/);
  });

  it("runs create again on any changed input, with the previous outputs in the environment", async () => {
    const olds = { create: "echo one" };
    const { id, outputs } = await plugin.create(LOCAL, olds);
    const news = { create: 'echo "was $PULUMI_COMMAND_STDOUT"' };
    expect(await plugin.diff(LOCAL, id, outputs, olds, news)).toEqual({
      changed: true,
      replaces: [],
      details: { create: 4 },
    });
    expect(await plugin.update(LOCAL, id, outputs, olds, news)).toMatchObject({ stdout: "was one" });
    const without = { ...news, addPreviousOutputInEnv: false };
    expect(await plugin.update(LOCAL, id, outputs, olds, without)).toMatchObject({ stdout: "was " });
  });

  it("prefers update, and replaces on changed triggers all the same", async () => {
    const olds = { create: "echo create", update: "echo update", triggers: ["a", { b: 1 }] };
    const { id, outputs } = await plugin.create(LOCAL, olds);
    expect(await plugin.update(LOCAL, id, outputs, olds, { ...olds, stdin: "x" })).toMatchObject({
      stdout: "update",
    });
    const news = { ...olds, triggers: ["a", { b: 2 }] };
    expect((await plugin.diff(LOCAL, id, outputs, olds, news)).replaces).toEqual(["triggers"]);
  });

  it("finds no difference in the same inputs", async () => {
    const olds = { create: "true", triggers: [1] };
    const { id, outputs } = await plugin.create(LOCAL, olds);
    expect((await plugin.diff(LOCAL, id, outputs, olds, olds)).changed).toBe(false);
  });

  it("puts status, whole command and output into the error, whatever logging says", async () => {
    const failing = plugin.create(LOCAL, { create: "echo out; echo err >&2; exit 3", logging: "none" });
    await expect(failing).rejects.toThrow(
      /exit status 3: running "echo out; echo err >&2; exit 3":\n(out\nerr|err\nout)/,
    );
  });

  it("names the signal that ended a command", async () => {
    await expect(plugin.create(LOCAL, { create: "kill -TERM $$" })).rejects.toThrow(
      /signal: SIGTERM: running/,
    );
  });

  it("shows output while it runs, line by line, and only what logging asks for", async () => {
    await plugin.create(LOCAL, { create: "echo shown; echo hidden >&2", logging: "stdout" });
    expect(plugin.logs).toContain("shown");
    expect(plugin.logs).not.toContain("hidden");
  });

  it("refuses a logging value that the SDK does not know, and what is not carried out here", async () => {
    const { failures } = await plugin.check(LOCAL, { create: "true", logging: "all" });
    expect(failures[0]?.reason).toBe(
      'logging is a string; allowed is one of "stdout", "stderr", "stdoutAndStderr", "none"',
    );
    expect((await plugin.check(LOCAL, { assetPaths: ["a"] })).failures[0]?.reason).toMatch(
      /not in this stand-in/,
    );
    await expect(plugin.check("command:remote:CopyToRemote", {})).rejects.toThrow(/not in this stand-in/);
  });
});

describe("the command stand-in, over SSH", () => {
  it("runs a command with a megabyte of stdin", async () => {
    const stdin = "0123456789abcdef".repeat(65536);
    const { outputs } = await plugin.create(REMOTE, {
      connection,
      create: "sha256sum | cut -c1-4; wc -c < /dev/null",
      stdin,
    });
    expect(outputs["stdout"]).toMatch(/^[0-9a-f]{4}\n0$/);
  });

  it("keeps the connection secret and the outputs plain, though stdin is secret", async () => {
    const { inputs } = await plugin.check(REMOTE, { connection, create: "cat", stdin: secret("hush") });
    expect(isSecret(inputs["connection"])).toBe(true);
    const { outputs } = await plugin.create(REMOTE, inputs);
    expect([isSecret(outputs["connection"]), isSecret(outputs["stdin"]), outputs["stdout"]]).toEqual([
      true,
      true,
      "hush",
    ]);
  });

  it("refuses a host with another key, and says which it has", async () => {
    const wrong = { ...connection, hostKey: readFileSync(join(sshd.folder, "client.pub"), "utf8") };
    const failing = plugin.create(REMOTE, { connection: wrong, create: `touch ${sshd.folder}/reached` });
    await expect(failing).rejects.toThrow(
      /after 0 failed attempts: ssh: handshake failed: ssh: host key mismatch.*SHA256:/,
    );
    expect(existsSync(`${sshd.folder}/reached`)).toBe(false);
  });

  it("takes a pinned key of any type that the server has, and any key when none is pinned", async () => {
    for (const hostKey of [sshd.hostKeys.ecdsa, `# a comment\n${sshd.hostKeys.ed25519} me@host`]) {
      await plugin.create(REMOTE, { connection: { ...connection, hostKey }, create: "true" });
    }
    const { hostKey: _, ...open } = connection;
    await plugin.create(REMOTE, { connection: open, create: "true" });
  });

  it("fails on a pinned RSA key, as the real provider does: it then offers ssh-rsa with SHA-1 only", async () => {
    const rsa = { ...connection, hostKey: sshd.hostKeys.rsa };
    await expect(plugin.create(REMOTE, { connection: rsa, create: "true" })).rejects.toThrow(/host key/);
  });

  it("says what is wrong with a host key or a private key without dialling", async () => {
    const bad = (change: Values) =>
      plugin.create(REMOTE, { connection: { ...connection, ...change }, create: "true" });
    await expect(bad({ hostKey: "ssh-ed25519 nonsense" })).rejects.toThrow(/failed to parse host key/);
    await expect(bad({ privateKey: "nonsense" })).rejects.toThrow(/connection.privateKey cannot be used/);
    await expect(bad({ agentSocketPath: "/nowhere" })).rejects.toThrow(
      /the SSH agent \/nowhere does not answer/,
    );
  });

  it("dials once more than the limit, and then says why it gave up", async () => {
    const closed = { ...connection, port: await freePort(), dialErrorLimit: 2 };
    await expect(plugin.create(REMOTE, { connection: closed, create: "true" })).rejects.toThrow(
      /after 2 failed attempts: dial tcp 127.0.0.1:\d+: .*ECONNREFUSED/,
    );
    expect(plugin.logs).toContain("Dial 2/2 failed: retrying");
  });

  it("waits for a server that comes up while it dials", async () => {
    const port = await freePort();
    const late = { ...connection, port, dialErrorLimit: 10 };
    const running = plugin.create(REMOTE, { connection: late, create: "echo here" });
    await wait(500);
    const { createServer, connect } = await import("node:net");
    const relay = createServer((near) => {
      const far = connect(sshd.port, "127.0.0.1");
      near.pipe(far).pipe(near);
      near.on("error", () => far.destroy());
    }).listen(port, "127.0.0.1");
    expect((await running).outputs["stdout"]).toBe("here");
    relay.close();
  });

  it("goes through a jump host, which has a host key of its own", async () => {
    const { port, user, privateKey, hostKeys } = sshd;
    const proxy = { host: "127.0.0.1", port, user, privateKey, hostKey: hostKeys.ecdsa, dialErrorLimit: 0 };
    const { outputs } = await plugin.create(REMOTE, {
      connection: { ...connection, proxy },
      create: "echo far",
    });
    expect(outputs["stdout"]).toBe("far");
    const wrong = { ...proxy, hostKey: readFileSync(join(sshd.folder, "client.pub"), "utf8") };
    await expect(
      plugin.create(REMOTE, { connection: { ...connection, proxy: wrong }, create: "true" }),
    ).rejects.toThrow(/^.*proxy: after 0 failed attempts: ssh: handshake failed: ssh: host key mismatch/);
  });

  it("fails on a variable that sshd does not accept, before the command runs", async () => {
    const create = `touch ${sshd.folder}/ran`;
    const run = (environment: Values) => plugin.create(REMOTE, { connection, create, environment });
    await expect(run({ DENIED: "1" })).rejects.toThrow(
      /could not set environment variable "DENIED".*AcceptEnv/,
    );
    expect(existsSync(`${sshd.folder}/ran`)).toBe(false);
    await run({ ALLOWED: "1" });
    expect(existsSync(`${sshd.folder}/ran`)).toBe(true);
  });

  it("only warns where sshd does not accept the previous output", async () => {
    const inputs = { connection, create: "echo out; echo err >&2" };
    const { id, outputs } = await plugin.create(REMOTE, inputs);
    const news = { connection, create: 'echo "$PULUMI_COMMAND_STDOUT/$PULUMI_COMMAND_STDERR"' };
    const updated = await plugin.update(REMOTE, id, outputs, inputs, news);
    expect(updated["stdout"]).toBe("out/");
    expect(plugin.logs.some((line) => line.startsWith("Unable to set 'PULUMI_COMMAND_STDERR'"))).toBe(true);
  });

  it("names status and signal of a failing command", async () => {
    const run = (create: string) => plugin.create(REMOTE, { connection, create });
    await expect(run("echo no; exit 4")).rejects.toThrow(
      /Process exited with status 4: running "echo no; exit 4":\nno\n/,
    );
    await expect(run("kill -KILL $$")).rejects.toThrow(/Process exited .*signal KILL/);
  });

  it("deletes over the stored connection", async () => {
    const inputs = { connection, create: `touch ${sshd.folder}/made`, delete: `rm ${sshd.folder}/made` };
    const { id, outputs } = await plugin.create(REMOTE, inputs);
    await plugin.delete(REMOTE, id, outputs);
    expect(existsSync(`${sshd.folder}/made`)).toBe(false);
    const gone = { ...revealAll(outputs), connection: { ...connection, port: await freePort() } };
    await expect(plugin.delete(REMOTE, id, gone)).rejects.toThrow(/ECONNREFUSED/);
  });

  it("runs nothing in a preview, and tells no output", async () => {
    const inputs = { connection, create: `touch ${sshd.folder}/previewed` };
    const { outputs } = await plugin.create(REMOTE, inputs, true);
    expect([outputs["stdout"], outputs["stderr"]]).toEqual([UNKNOWN, UNKNOWN]);
    expect(existsSync(`${sshd.folder}/previewed`)).toBe(false);
  });

  it("leaves the defaults of a connection that is unknown, and checks it without one", async () => {
    const { inputs, failures } = await plugin.check(REMOTE, { connection: secret(UNKNOWN), create: "true" });
    expect(failures).toEqual([]);
    expect(reveal(inputs["connection"] ?? null)).toEqual({ host: "", user: "root", port: 22 });
  });

  it("names an unknown property inside a secret connection", async () => {
    const { failures } = await plugin.check(REMOTE, { connection: secret({ ...connection, hostkey: "x" }) });
    expect(failures).toEqual([
      {
        property: "connection.hostkey",
        reason: "connection.hostkey is not a property of the SDK. Did you mean hostKey?",
      },
    ]);
  });
});

it("kills what runs when the engine cancels", async () => {
  const own = await Driver.start("command", { SSH_AUTH_SOCK: "" });
  const [pidFile, started] = [join(sshd.folder, "pid"), join(sshd.folder, "started")];
  // sshd passes no signal to a session of root: there only the connection ends.
  const running = [
    own.create(LOCAL, { create: `sleep 60 & echo $! > ${pidFile}; wait` }),
    own.create(REMOTE, { connection, create: `touch ${started}; sleep 10` }),
  ];
  const ended = Promise.allSettled(running);
  while (!existsSync(pidFile) || !existsSync(started)) await wait(50);
  await wait(50);
  await own.cancel();
  for (const outcome of await ended) {
    expect(outcome).toMatchObject({
      reason: { message: expect.stringContaining("cancelled by the engine") },
    });
  }
  expect(runs(readFileSync(pidFile, "utf8").trim())).toBe(false);
  own.stop();
});

/** A killed process may stay in the table until somebody collects it. */
function runs(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, "utf8"));
}
