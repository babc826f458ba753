import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { changes, isIgnored } from "./base/diff.ts";
import { sdkShapes, sdkVersion } from "./base/sdk-types.ts";
import { markSecret, pathText, revealAll, secret, secretPaths } from "./base/values.ts";

describe("a plugin as a process", () => {
  it("writes its port and nothing else to standard output, and ends at once when the engine says so", async () => {
    const file = fileURLToPath(new URL("random.ts", import.meta.url));
    const child = spawn(process.execPath, [file, "127.0.0.1:1"], { stdio: ["ignore", "pipe", "inherit"] });
    let written = "";
    child.stdout.on("data", (bytes: Buffer) => {
      written += bytes.toString();
      child.kill("SIGINT");
    });
    const started = Date.now();
    const [status] = await once(child, "close");
    expect(status).toBe(0);
    expect(written).toMatch(/^\d+\n$/);
    // The engine waits for 5 s before it kills.
    expect(Date.now() - started).toBeLessThan(4000);
  });

  it("speaks for the version of the SDK that is installed, and says in its first line what it is", () => {
    for (const name of ["random", "command", "proxmoxve"]) {
      const [first] = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8").split("\n");
      expect(first).toMatch(new RegExp(`^// Stand-in for the real \`${name}\` provider`));
    }
    expect(sdkVersion("@pulumi/random")).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe("the types of an SDK", () => {
  it("are read again when the cache does not hold them", () => {
    const name = `@pulumi+tailscale-${sdkVersion("@pulumi/tailscale")}.json`;
    const cache = fileURLToPath(new URL(`../../../.cache/plugins/${name}`, import.meta.url));
    const read = () =>
      sdkShapes("@pulumi/tailscale", [{ file: "acl", args: "AclArgs" }])["acl#AclArgs"]?.fields;
    const first = read();
    expect(first?.["acl"]).toEqual({ shape: { kind: "string" }, required: true });
    for (const broken of ["", "{", '{"revision":"0","shapes":{}}']) {
      writeFileSync(cache, broken);
      expect(read()).toEqual(first);
    }
    expect(() => sdkShapes("@pulumi/tailscale", [{ file: "acl", args: "NoArgs" }])).toThrow(
      /declares no NoArgs/,
    );
  });
});

describe("property values", () => {
  it("keep their secrets apart, however deep", () => {
    const values = { a: [{ b: secret("x") }], c: "d" };
    const paths = secretPaths(values);
    expect(paths.map(pathText)).toEqual(["a[0].b"]);
    const plain = revealAll(values);
    expect(plain).toEqual({ a: [{ b: "x" }], c: "d" });
    expect(paths.reduce(markSecret, plain)).toEqual(values);
    expect(markSecret(plain, ["a", 5, "b"])).toEqual(plain);
  });

  it("differ at the smallest paths", () => {
    const found = changes({ a: [1, 2], b: { c: 1 }, d: 1 }, { a: [1, 3, 4], b: {}, d: 1 });
    expect(found.map(({ path, kind }) => `${kind} ${pathText(path)}`)).toEqual([
      "update a[1]",
      "add a[2]",
      "delete b.c",
    ]);
  });

  it("are ignored at a path, below it, and at every index", () => {
    expect(isIgnored(["disks", 0, "speed", "read"], ["disks[0].speed"])).toBe(true);
    expect(isIgnored(["disks", 1, "speed"], ["disks[*].speed"])).toBe(true);
    expect(isIgnored(["disks", 1, "speed"], ["disks[0].speed", "disk"])).toBe(false);
  });
});
