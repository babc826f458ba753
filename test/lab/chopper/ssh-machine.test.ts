import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SshMachine } from "./ssh-machine.ts";

/** An ssh that runs the command here, as sshd would: with the login's shell. */
let folder: string;
const machine = new SshMachine(["-p", "2222", "someone@nowhere"]);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ssh-machine-"));
  for (const [name, text] of [
    ["ssh", 'for last; do :; done\nexec sh -c "$last"'],
    ["sudo", '[ "$1" = -n ] && shift && exec "$@"'],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("a command reaches the machine's shell whole, with its input", async () => {
  const answer = await machine.run(`printf '%s|' "it's" '$HOME' "a  b"; cat; echo no >&2; exit 3`, {
    input: "given",
  });
  expect(answer).toEqual({ code: 3, out: "it's|$HOME|a  b|given", err: "no\n" });
});

test("a command that fails is told with what it said", async () => {
  await expect(machine.exec("echo why >&2; exit 4")).rejects.toThrow(
    "`echo why >&2; exit 4` failed with 4: why",
  );
  expect(await machine.exec("echo all is well")).toBe("all is well\n");
});

test("a command that takes too long is given up", async () => {
  await expect(machine.run("echo begun; exec sleep 20", { seconds: 1 })).rejects.toThrow(
    "did not end within 1 s: begun",
  );
});
