import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ensureKey } from "../ssh.ts";
import { ChopperSite } from "./site.ts";

let folder: string;
let site: ChopperSite;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "chopper-"));
  const key = join(folder, "deploy-key");
  ensureKey(key, "lab");
  site = new ChopperSite(folder, key, {
    stack: "chopper",
    ports: { ssh: 1, registry: 2 },
    passphrase: "p",
  });
  await site.prepare();
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function hostAnswers(script: string): void {
  writeFileSync(join(folder, "ssh"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "ssh"), 0o755);
}

test("what the host tool says of the guest is told, also when the tool is not content", async () => {
  const line = '{"guest":"vm-hermes","state":"active","version":"0.19.0","image":"a/b:v1","autostart":false}';
  hostAnswers(`echo '${line}'; echo 'the guest would not start with the host' >&2; exit 1`);
  expect(await site.guestStatus()).toEqual({
    state: "active",
    version: "0.19.0",
    image: { name: "a/b:v1" },
  });
});

test("a guest that does not answer has no version and no image", async () => {
  hostAnswers(`echo '{"guest":"vm-hermes","state":"inactive","version":null,"image":null}'`);
  expect(await site.guestStatus()).toEqual({ state: "inactive", version: null, image: null });
});

test("a host without the tool, or none at all, is an error with its words", async () => {
  hostAnswers("echo 'sudo: hermes-microvm: command not found' >&2; exit 1");
  await expect(site.guestStatus()).rejects.toThrow(
    /exit status 1\): sudo: hermes-microvm: command not found/,
  );
});

test("the lab asks chopper with another key than a deploy's, so that a journal tells them apart", async () => {
  hostAnswers('for word; do echo "$word"; done | grep IdentityFile');
  expect(await site.host.exec("anything")).toBe(`IdentityFile="${folder}/chopper/reader-key"\n`);
});
