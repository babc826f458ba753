import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a mistyped --check writes nothing: it is refused", () => {
  const script = join(import.meta.dirname, "generate.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--chek"], {
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain('Unknown argument "--chek". Allowed: --check');
});
