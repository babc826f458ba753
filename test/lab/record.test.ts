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

test("a new record is read as it was written, by its owner only", async () => {
  const record = await newRecord();
  writeRecord(file, record);
  expect(readRecord(file)).toEqual(record);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(record.ports)).size).toBe(4);
});

test.each([
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
  expect(movableServices(none)).toEqual(["api", "image", "ssh", "registry"]);
  expect(movableServices({ ...none, api: true })).toEqual(["ssh", "registry"]);
  expect(movableServices({ ...none, registry: true })).toEqual(["api", "image", "ssh"]);
  expect(movableServices({ ...none, guest: true })).toEqual(["api", "image"]);
});
