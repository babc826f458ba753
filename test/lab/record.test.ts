import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort, isFree } from "./ports.ts";
import { movableServices, movePorts, newRecord, readRecord, writeRecord } from "./record.ts";

let folder: string;
let file: string;
let listener: Server;
let taken: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "record-"));
  file = join(folder, "lab.json");
  listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  taken = typeof address === "object" && address !== null ? address.port : 0;
});
afterEach(() => {
  listener.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ["pve-sbx", ["api", "image", "ssh", "registry"]],
  ["chopper", ["ssh", "registry"]],
] as const)("a new record of %s is read as it was written, by its owner only", async (stack, services) => {
  const record = await newRecord(stack);
  writeRecord(file, record);
  expect(readRecord(file)).toEqual(record);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.keys(record.ports)).toEqual(services);
  expect(new Set(Object.values(record.ports)).size).toBe(services.length);
});

test("the labs of two stacks have no port in common", async () => {
  const [one, other] = await Promise.all([newRecord("pve-sbx"), newRecord("chopper")]);
  const ports = [...Object.values(one.ports), ...Object.values(other.ports)];
  expect(new Set(ports).size).toBe(6);
});

test("a record from before there was a second stack is one of pve-sbx", () => {
  const old = {
    ports: { api: 18_006, image: 18_007, ssh: 12_222, registry: 15_000 },
    token: "a@pve!b=c",
    passphrase: "p",
  };
  writeFileSync(file, JSON.stringify(old));
  expect(readRecord(file)).toEqual({ stack: "pve-sbx", ...old });
});

test.each([
  ["of an unknown stack", '{"stack": "other", "ports": {"ssh": 1, "registry": 2}, "passphrase": "p"}'],
  ["half-written", '{"ports": {"api": 180'],
  ["empty", ""],
  ["without its secrets", '{"ports": {"api": 18006, "image": 18007, "ssh": 12222, "registry": 15000}}'],
])("a record that is %s is refused with its file and the way out", (_name, content) => {
  writeFileSync(file, content);
  expect(() => readRecord(file)).toThrow(`${file}, which holds the lab's ports and secrets, is damaged`);
  expect(() => readRecord(file)).toThrow("End what is left of it with `npm run lab -- down`");
});

test("a taken port gives way to a free one, other ports stay", async () => {
  const free = await freePort();
  const ports = { api: taken, image: free, ssh: 1, registry: 2 };
  const result = await movePorts(ports, ["api", "image"]);
  expect(result.moved).toEqual(["api"]);
  expect(result.ports).toEqual({ ...ports, api: expect.any(Number) });
  expect(await isFree(result.ports.api)).toBe(true);
});

test("the wanted port is given when it is free and nobody else's, else another", async () => {
  const free = await freePort();
  expect(await freePort(free)).toBe(free);
  expect(await freePort(free, [free])).not.toBe(free);
  expect(await freePort(taken)).not.toBe(taken);
});

test("no port changes that a running process uses", () => {
  const none = { api: false, registry: false, guest: false };
  const ports = { api: 1, image: 2, ssh: 3, registry: 4 };
  expect(movableServices(ports, none)).toEqual(["api", "image", "ssh", "registry"]);
  expect(movableServices(ports, { ...none, api: true })).toEqual(["ssh", "registry"]);
  expect(movableServices(ports, { ...none, registry: true })).toEqual(["api", "image", "ssh"]);
  expect(movableServices(ports, { ...none, guest: true })).toEqual(["api", "image"]);
});

test("a lab without an API has no ports for one to change", () => {
  const none = { api: false, registry: false, guest: false };
  expect(movableServices({ ssh: 1, registry: 2 }, none)).toEqual(["ssh", "registry"]);
  expect(movableServices({ ssh: 1, registry: 2 }, { ...none, guest: true })).toEqual([]);
});
