import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quote } from "../quote.ts";
import { writeExecutable } from "./wrappers.ts";

test("a wrapper runs, keeps its arguments apart, and is not written again when it is right already", () => {
  const folder = mkdtempSync(join(tmpdir(), "it's a wrapper "));
  try {
    const file = join(folder, "tool");
    const lines = [`printf '%s|' ${quote(folder)} "$@"`];
    writeExecutable(file, lines);
    const written = statSync(file).ino;
    expect(execFileSync(file, ["a b", "c"], { encoding: "utf8" })).toBe(`${folder}|a b|c|`);
    writeExecutable(file, lines);
    expect(statSync(file).ino).toBe(written);
    writeExecutable(file, ["exit 0"]);
    expect(statSync(file).ino).not.toBe(written);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
