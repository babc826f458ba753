import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { hostKeyProvider } from "./host-key.ts";

type Provider = ReturnType<typeof hostKeyProvider>;
type Answer = readonly [status: number, body: string, reason?: string];

const TOKEN = "root@pam!pulumi=5ec2e7-5ec2e7";
const KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"B".repeat(43)}`;
const OTHER_KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"C".repeat(43)}`;
const HANG_UP = 0;
const NOT_RUNNING: Answer = [500, '{"data":null}', "QEMU guest agent is not running"];
const VM = {
  nodeName: "pve-sbx-1",
  vmId: 210,
  incarnation: "BC:24:11:00:00:01",
  timeoutSeconds: 5,
  hostKey: "",
};

let server: Server;
let origin = "";
let answers: Answer[] = [];
let requests: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer(selfSigned(), (request, response) => {
    requests.push(request);
    // The last answer stands for all that follow.
    const [status, body, reason] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [404, ""];
    if (status === HANG_UP) return request.socket.destroy();
    response.writeHead(status, reason).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

beforeEach(() => {
  requests = [];
  answers = [file(`${KEY} root@vm-hermes\n`)];
  for (const name of ["ENDPOINT", "API_TOKEN", "INSECURE"]) vi.stubEnv(`PROXMOX_VE_${name}`, undefined);
  return () => vi.unstubAllEnvs();
});

describe("the host key", () => {
  it("is read through the guest agent with the provider's token and comes without its comment", async () => {
    const { id, outs } = await (await configured()).create(VM);
    expect({ id, outs }).toEqual({ id: "pve-sbx-1/210", outs: { ...VM, hostKey: KEY } });
    expect(requests.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      [
        "GET",
        "/api2/json/nodes/pve-sbx-1/qemu/210/agent/file-read?file=%2Fetc%2Fssh%2Fssh_host_ed25519_key.pub",
        `PVEAPIToken=${TOKEN}`,
      ],
    ]);
  });

  it("is found in an answer that wraps the agent's result once more", async () => {
    answers = [[200, JSON.stringify({ data: { result: { content: KEY } } })]];
    expect((await (await configured()).create(VM)).outs?.hostKey).toBe(KEY);
  });

  it.each(["", "/", "/api2/json", "/api2/json/"])("is found when the endpoint ends in '%s'", async (end) => {
    const provider = await configured({ "proxmoxve:endpoint": origin + end });
    expect((await provider.create(VM)).outs?.hostKey).toBe(KEY);
    expect(requests[0]?.url).toMatch(/^\/api2\/json\/nodes\//);
  });

  it("is read with what the environment says when the stack's configuration says nothing", async () => {
    vi.stubEnv("PROXMOX_VE_ENDPOINT", origin);
    vi.stubEnv("PROXMOX_VE_API_TOKEN", `${TOKEN}\n`);
    vi.stubEnv("PROXMOX_VE_INSECURE", "1");
    expect((await (await configured({}, {})).create(VM)).outs?.hostKey).toBe(KEY);
  });

  it("is waited for while the guest agent is not running, and while the API is away for a moment", async () => {
    answers = [[HANG_UP, ""], NOT_RUNNING, [HANG_UP, ""], NOT_RUNNING, [596, ""], file(KEY)];
    expect((await (await configured()).create(VM)).outs?.hostKey).toBe(KEY);
    expect(requests).toHaveLength(6);
  });

  it("is not waited for longer than the time given, and then the last answer is told", async () => {
    answers = [NOT_RUNNING];
    const message = await refused((await configured()).create({ ...VM, timeoutSeconds: 0.5 }));
    expect(message).toMatch(
      /VM 210 on pve-sbx-1.*within 0.5 s; last answer: 500 QEMU guest agent is not run/,
    );
    expect(message).toMatch(/vendor-data\.yaml.*hermes:guest\.hostKey.*pulumi up/);
    expect(requests.length).toBeGreaterThan(1);
  });

  it.each([
    ["an empty file", ""],
    ["a page", "<html>"],
    ["a key of another kind", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB"],
    ["a key that says another kind inside", `ssh-ed25519 ${"B".repeat(68)}`],
    ["a key cut short", KEY.slice(0, -1)],
    ["a key with more behind it", `${KEY}AAAA`],
    ["a key behind something else", `command="x" ${KEY}`],
    ["a list", [KEY]],
    ["nothing", undefined],
  ])("is never %s", async (_what, content) => {
    answers = [[200, JSON.stringify({ data: { content } })]];
    const message = await refused((await configured()).create({ ...VM, timeoutSeconds: 0.03 }));
    expect(message).toMatch(/within 0.03 s; last answer: /);
  });

  it.each(["", "no JSON", "null", "[]", '{"data":null}'])("is not made of the answer '%s'", async (body) => {
    answers = [[200, body], file(KEY)];
    expect((await (await configured()).create(VM)).outs?.hostKey).toBe(KEY);
    expect(requests).toHaveLength(2);
  });
});

describe("what waiting cannot mend ends at once:", () => {
  it.each([
    [401, "invalid token value!"],
    [403, "Permission check failed (/vms/210, VM.GuestAgent.FileRead)"],
  ])(
    "a refusal with %i, with the setting and the privilege, and without the token",
    async (status, reason) => {
      answers = [[status, "", reason]];
      const message = await refused((await configured()).create(VM));
      expect(message).toContain(`${status} ${reason}`);
      expect(message).toMatch(/proxmoxve:apiToken.*VM\.GuestAgent\.FileRead/);
      expect(message).not.toContain("5ec2e7");
      expect(requests).toHaveLength(1);
    },
  );

  it("a certificate that nobody vouches for, with both ways to go on, and before the token was sent", async () => {
    for (const insecure of ["false", ""]) {
      const message = await refused(
        (await configured({ "proxmoxve:insecure": insecure }, LONG_PAUSE)).create(VM),
      );
      expect(message).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS.*proxmoxve:insecure/);
    }
    expect(requests).toEqual([]);
  });

  it.each([
    ["http://127.0.0.1:1", /endpoint is "http:.*must look like https:/],
    ["pve.example.org:8006", /endpoint is "pve\.example.*must look like https:/],
    ["https://", /endpoint is "https:.*must look like https:/],
    ["", /endpoint is not set.*must look like https:/],
  ])("the endpoint '%s'", async (endpoint, expected) => {
    const provider = await configured({ "proxmoxve:endpoint": endpoint }, LONG_PAUSE);
    expect(await refused(provider.create(VM))).toMatch(expected);
  });

  it.each(["", "root@pam!x=a b", "root@pam!x=ü"])("the token '%s', which is not quoted", async (token) => {
    const message = await refused((await configured({ "proxmoxve:apiToken": token }, LONG_PAUSE)).create(VM));
    expect(message).toContain("proxmoxve:apiToken is not set, or not of the form user@realm!name=secret");
    expect(message).not.toContain("root@pam");
  });
});

describe("an API that does not answer at all", () => {
  it("is given up long before the guest would be", async () => {
    const provider = await configured({ "proxmoxve:endpoint": await closedPort() }, { unreachableMs: 60 });
    const begin = Date.now();
    const message = await refused(provider.create({ ...VM, timeoutSeconds: 900 }));
    expect(message).toMatch(/did not answer for 0 s \(127\.0\.0\.1:\d+: connect ECONNREFUSED/);
    expect(message).toContain("Check proxmoxve:endpoint");
    expect(Date.now() - begin).toBeGreaterThanOrEqual(60);
    expect(Date.now() - begin).toBeLessThan(5000);
  });

  it("is given up after the time given when that is shorter", async () => {
    const provider = await configured({ "proxmoxve:endpoint": await closedPort() });
    expect(await refused(provider.create({ ...VM, timeoutSeconds: 0.03 }))).toContain("did not answer");
  });
});

describe("a refresh", () => {
  const pinned = { ...VM, hostKey: OTHER_KEY };

  it("reports a key that has changed", async () => {
    expect(await (await configured()).read?.("x", pinned)).toEqual({
      id: "x",
      props: { ...pinned, hostKey: KEY },
    });
  });

  it("keeps the pinned key when the guest or the API does not answer, or answers nonsense, and asks once", async () => {
    const kept = { id: "x", props: pinned };
    for (answers of [[NOT_RUNNING], [[401, ""]], [file("junk")]] satisfies Answer[][]) {
      requests = [];
      expect(await (await configured({}, LONG_PAUSE)).read?.("x", pinned)).toEqual(kept);
      expect(requests).toHaveLength(1);
    }
    const away = await configured({ "proxmoxve:endpoint": await closedPort() }, LONG_PAUSE);
    expect(await away.read?.("x", pinned)).toEqual(kept);
  });
});

describe("a change", () => {
  it.each([
    ["of nothing does nothing", {}, { changes: false, replaces: [] }],
    ["of the node replaces", { nodeName: "pve-sbx-2" }, { changes: true, replaces: ["nodeName"] }],
    ["of the VMID replaces", { vmId: 299 }, { changes: true, replaces: ["vmId"] }],
    ["of the VM's incarnation updates in place", { incarnation: "new" }, { changes: true, replaces: [] }],
    ["of the time to wait does nothing", { timeoutSeconds: 60 }, { changes: false, replaces: [] }],
  ])("%s", async (_what, change, expected) => {
    // The engine leaves the key out of the new inputs.
    const { hostKey: _, ...inputs } = { ...VM, ...change };
    expect(await hostKeyProvider().diff?.("x", { ...VM, hostKey: KEY }, inputs as typeof VM)).toEqual(
      expected,
    );
  });

  it("in place reads the key anew", async () => {
    const news = { ...VM, incarnation: "new" };
    expect(await (await configured()).update?.("x", { ...VM, hostKey: OTHER_KEY }, news)).toEqual({
      outs: { ...news, hostKey: KEY },
    });
  });
});

it("the provider still works after Pulumi has serialised it, and its text holds no token", async () => {
  vi.stubEnv("PROXMOX_VE_API_TOKEN", TOKEN);
  const provider = hostKeyProvider();
  const { text, containsSecrets } = await pulumi.runtime.serializeFunction(() => provider, {
    allowSecrets: true,
  });
  expect(containsSecrets).toBe(false);
  expect(text).not.toContain("5ec2e7");

  const folder = mkdtempSync(join(tmpdir(), "host-key-"));
  try {
    const program = join(folder, "provider.cjs");
    writeFileSync(program, text);
    const module: { handler: () => Provider } = createRequire(import.meta.url)(program);
    const restored = await configure(module.handler());
    expect((await restored.create(VM)).outs?.hostKey).toBe(KEY);
    answers = [[403, "", "no"]];
    expect(await refused(restored.create(VM))).toContain("proxmoxve:apiToken");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Longer than a test may take: whoever pauses fails. */
const LONG_PAUSE = { pauseMs: 60_000 };

function configured(
  change: Readonly<Record<string, string>> = {},
  times: { pauseMs?: number; unreachableMs?: number } = {},
): Promise<Provider> {
  const provider = hostKeyProvider(times.pauseMs ?? 5, times.unreachableMs ?? 10_000);
  return configure(provider, change);
}

async function configure(
  provider: Provider,
  change: Readonly<Record<string, string>> = {},
): Promise<Provider> {
  const settings: Record<string, string> = {
    ...(process.env["PROXMOX_VE_ENDPOINT"] === undefined && {
      "proxmoxve:endpoint": origin,
      "proxmoxve:apiToken": TOKEN,
      "proxmoxve:insecure": "true",
    }),
    ...change,
  };
  const get = (key: string) => settings[key];
  await provider.configure?.({ config: { get, require: (key) => get(key) ?? "" } });
  return provider;
}

async function refused(attempt: Promise<unknown>): Promise<string> {
  const outcome = await attempt.catch((error: unknown) => error);
  if (!(outcome instanceof Error)) throw new Error(`it was not refused: ${JSON.stringify(outcome)}`);
  return outcome.message;
}

function file(content: string): Answer {
  return [200, JSON.stringify({ data: { content, "bytes-read": content.length } })];
}

/** The address of a port that was free a moment ago. */
async function closedPort(): Promise<string> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  await new Promise((resolve) => other.close(resolve));
  return `https://127.0.0.1:${port}`;
}

/** A certificate of X.509 version 1 (RFC 5280, section 4.1) that vouches for itself; Node can read such, but not make them. */
function selfSigned(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const der = (tag: number, ...parts: (Uint8Array | string)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const { length } = body;
    return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : [0x81, length])]), body]);
  };
  const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
  const algorithm = sequence(der(0x06, Buffer.from([43, 101, 112]))); // 1.3.101.112, Ed25519
  const commonName = sequence(der(0x06, Buffer.from([85, 4, 3])), der(0x0c, "pve-sbx-1"));
  const name = sequence(der(0x31, commonName));
  const validity = sequence(der(0x17, "200101000000Z"), der(0x17, "491231235959Z"));
  const subjectKey = publicKey.export({ type: "spki", format: "der" });
  const serial = der(0x02, Buffer.from([1]));
  const content = sequence(serial, algorithm, name, validity, name, subjectKey);
  const signature = der(0x03, Buffer.from([0]), sign(null, content, privateKey));
  const base64 = sequence(content, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}
