import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeCredential } from "./credentials.ts";

test("the files that a machine starts with are given to it whole, and to nobody else", () => {
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const name = writeCredential(folder, [
    { path: "/etc/a", mode: "0600", content: "one\ntwo\n" },
    { path: "/etc/b", mode: "0444", content: "100%" },
  ]);
  const [key, value = ""] = readFileSync(join(folder, name), "utf8").split(/=(.*)/s);
  expect(key).toBe("io.systemd.credential.binary:tmpfiles.extra");
  const lines = Buffer.from(value, "base64").toString().trimEnd().split("\n");
  expect(lines.map((line) => line.split(" - ")[0])).toEqual([
    "f~ /etc/a 0600 root root",
    "f~ /etc/b 0444 root root",
  ]);
  const contents = lines.map((line) => Buffer.from(line.split(" - ")[1] ?? "", "base64").toString());
  expect(contents).toEqual(["one\ntwo\n", "100%"]);
  expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});
