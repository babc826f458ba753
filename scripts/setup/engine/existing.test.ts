import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findEngine } from "./existing.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "existing-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = (name: string, body: string): void => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
};
const pulumi = (version: string): void => script("pulumi", `echo ${version}`);
const host = (): void => script("pulumi-language-nodejs", "echo 12345; exec /bin/sleep 60");

test("an engine with a suitable version and a language host beside it is taken", async () => {
  pulumi("v3.265.0");
  host();
  expect(await findEngine(folder)).toEqual({
    engine: { pulumi: join(folder, "pulumi"), version: "3.265.0", source: "path", binFolders: [folder] },
  });
});

test.each([
  ["too old", "v3.229.9", /is 3\.229\.9, and at least 3\.230\.0 and less than 4/],
  ["too new", "v4.0.0", /is 4\.0\.0/],
  ["not a Pulumi", "hello", /does not answer/],
])("an engine that is %s is refused with the reason", async (_name, version, reason) => {
  pulumi(version);
  host();
  expect(await findEngine(folder)).toEqual({ reason: expect.stringMatching(reason) });
});

test("an engine without a language host that starts is refused", async () => {
  pulumi("v3.265.0");
  expect(await findEngine(folder)).toEqual({ reason: expect.stringMatching(/comes without/) });
  script("pulumi-language-nodejs", "echo broken >&2; exit 1");
  expect(await findEngine(folder)).toEqual({ reason: expect.stringMatching(/does not start/) });
});

test("nothing on PATH is said so", async () => {
  expect(await findEngine(folder)).toEqual({ reason: "no `pulumi` on PATH" });
});
