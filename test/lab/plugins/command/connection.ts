// An SSH connection as the real `command` 1.2.1 makes it (provider/pkg/provider/remote/connection.go).

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createConnection } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import ssh, { type ConnectConfig, type ServerHostKeyAlgorithm } from "ssh2";
import type { Context } from "../base/resource.ts";

export type Endpoint = {
  readonly host: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly privateKeyPassword?: string;
  readonly agentSocketPath?: string;
  readonly hostKey?: string;
  readonly dialErrorLimit?: number;
  readonly perDialTimeout?: number;
};
export type Connection = Endpoint & { readonly proxy?: Endpoint };

/** A connected client; with a jump host, the end of the inner one ends the outer one. */
export async function dial(context: Context, connection: Connection): Promise<ssh.Client> {
  const config = await clientConfig(connection);
  const { proxy } = connection;
  if (proxy === undefined) return retry(context, "Dial", connection, () => connect(context, config));
  try {
    const outerConfig = await clientConfig(proxy);
    const outer = await retry(context, "Dial proxy", proxy, () => connect(context, outerConfig));
    const inner = await retry(context, "Dial from proxy", connection, async () => {
      return connect(context, { ...config, sock: await forward(outer, connection) });
    }).catch((error: unknown) => {
      outer.end();
      throw error;
    });
    inner.once("close", () => outer.end());
    return inner;
  } catch (error) {
    throw new Error(`proxy: ${(error as Error).message}`, { cause: error });
  }
}

/** One more try than the limit, with the waits of pulumi's retry.Until: 0.1 s, growing by half up to 5 s. */
async function retry<T>(
  context: Context,
  what: string,
  { dialErrorLimit = 10 }: Endpoint,
  attempt: () => Promise<T>,
): Promise<T> {
  const limit = dialErrorLimit === -1 ? "inf" : String(dialErrorLimit);
  for (let failed = 0, delay = 100; ; failed++, delay = Math.min(delay * 1.5, 5000)) {
    try {
      return await attempt();
    } catch (error) {
      context.signal.throwIfAborted();
      const reason = (error as Error).message;
      if (dialErrorLimit > -1 && failed >= dialErrorLimit)
        throw new Error(`after ${failed} failed attempts: ${reason}`);
      context.log("status", `${what} ${failed + 1}/${limit} failed: retrying`);
      await wait(delay, undefined, { signal: context.signal });
    }
  }
}

async function clientConfig(endpoint: Endpoint): Promise<ConnectConfig> {
  const {
    host,
    port = 22,
    user = "root",
    password,
    privateKey,
    privateKeyPassword,
    perDialTimeout = 15,
  } = endpoint;
  const config: ConnectConfig = {
    host,
    port,
    username: user,
    readyTimeout: perDialTimeout * 1000,
    ...pinned(endpoint),
  };
  if (privateKey !== undefined) {
    const key = ssh.utils.parseKey(privateKey, privateKeyPassword);
    if (key instanceof Error) throw new Error(`connection.privateKey cannot be used: ${key.message}`);
    config.privateKey = privateKey;
    if (privateKeyPassword !== undefined) config.passphrase = privateKeyPassword;
  }
  if (password !== undefined) Object.assign(config, { password, tryKeyboard: true });
  const agent = endpoint.agentSocketPath ?? (process.env["SSH_AUTH_SOCK"] || undefined);
  if (agent !== undefined) {
    await reachable(agent);
    // Go tries each method once: with a key at hand the agent, also "publickey", never gets its turn.
    if (privateKey === undefined) config.agent = agent;
  }
  return config;
}

/** The real provider fails on an agent that is named but does not answer, even with a key at hand. */
async function reachable(socketPath: string): Promise<void> {
  const socket = createConnection(socketPath);
  await once(socket, "connect").catch((error: Error) => {
    throw new Error(
      `the SSH agent ${socketPath} does not answer: ${error.message}; unset SSH_AUTH_SOCK or start it`,
    );
  });
  socket.destroy();
}

/** As ssh.FixedHostKey: only that key, and only its algorithm is offered. Without a key any is taken. */
function pinned({ hostKey }: Endpoint): ConnectConfig {
  if (hostKey === undefined) return {};
  const { type, blob } = parseHostKey(hostKey);
  // For an RSA key that algorithm is ssh-rsa with SHA-1, which a current sshd refuses: so it is with the real one.
  return { algorithms: { serverHostKey: [type] }, hostVerifier: (offered: Buffer) => offered.equals(blob) };
}

function parseHostKey(text: string): { type: ServerHostKeyAlgorithm; blob: Buffer } {
  for (const [, type = "", base64 = ""] of text.matchAll(
    /(?:^|\s)((?:ssh|ecdsa|sk)-[\w@.-]+)[ \t]+([A-Za-z0-9+/=]+)/gm,
  )) {
    const blob = Buffer.from(base64, "base64");
    if (blob.length < 4) continue;
    const inside = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString();
    if (inside === type) return { type: type as ServerHostKeyAlgorithm, blob };
  }
  throw new Error(
    "failed to parse host key: ssh: no key found in connection.hostKey; want `ssh-ed25519 AAAA…`",
  );
}

async function connect(context: Context, config: ConnectConfig): Promise<ssh.Client> {
  const client = new ssh.Client();
  let offered: Buffer | undefined;
  const { hostVerifier, password } = config;
  if (typeof hostVerifier === "function") {
    config.hostVerifier = (key: Buffer) => {
      offered = key;
      return (hostVerifier as (key: Buffer) => boolean)(key);
    };
  }
  client.on("keyboard-interactive", (_name, _instructions, _language, prompts, finish) =>
    finish(prompts.map(() => password ?? "")),
  );
  const stop = (): unknown => client.destroy();
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      client.once("ready", resolve).once("error", reject);
      client.once("close", () => reject(new Error("connection closed by the server")));
      client.connect(config);
    });
    client.on("error", () => undefined);
    return client;
  } catch (error) {
    client.on("error", () => undefined).destroy();
    context.signal.throwIfAborted();
    throw new Error(explain(error as Error, config, offered));
  } finally {
    context.signal.removeEventListener("abort", stop);
    if (hostVerifier !== undefined) config.hostVerifier = hostVerifier;
  }
}

function explain(error: Error, { host, port, username }: ConnectConfig, offered: Buffer | undefined): string {
  if (error.message.includes("verification failed") && offered !== undefined) {
    const fingerprint = createHash("sha256").update(offered).digest("base64").replace(/=+$/, "");
    return (
      `ssh: handshake failed: ssh: host key mismatch: ${host}:${port} offers SHA256:${fingerprint}. ` +
      "Compare it on the host's console (ssh-keygen -lf), and set connection.hostKey only if it is the same."
    );
  }
  if (error.message.includes("authentication methods failed")) {
    return `ssh: handshake failed: ssh: unable to authenticate as ${username} at ${host}:${port}: is the key or password right, and allowed there?`;
  }
  return `dial tcp ${host}:${port}: ${error.message}`;
}

function forward(client: ssh.Client, { host, port = 22 }: Endpoint): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut("127.0.0.1", 0, host, port, (error, stream) =>
      error ? reject(error) : resolve(stream),
    );
  });
}
