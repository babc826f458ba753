import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesBelow } from "./files-below.ts";

it("a fingerprint sees every file's place, and whether it can be run", () => {
  const folder = mkdtempSync(join(tmpdir(), "files-below-"));
  try {
    mkdirSync(join(folder, "tree", "deep"), { recursive: true });
    writeFileSync(join(folder, "tree", "b"), "");
    writeFileSync(join(folder, "tree", "deep", "a"), "");
    chmodSync(join(folder, "tree", "deep", "a"), 0o755);
    expect(filesBelow(join(folder, "tree")).map(([name]) => name)).toEqual(["tree/b", "tree/deep/a (runs)"]);
    expect(filesBelow(join(folder, "tree", "b"))).toEqual([["b", { file: join(folder, "tree", "b") }]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
