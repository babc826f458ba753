import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { sections } from "./sections.ts";

test("each command has its own answer, one that fails too", async () => {
  let connections = 0;
  const here = {
    exec: async (script: string) => {
      connections++;
      return execFileSync("sh", ["-c", script], { encoding: "utf8" });
    },
  };
  const answers = await sections(here, {
    one: "printf 'a\\nb'",
    none: ":",
    failed: "cat /nowhere; false",
    last: "echo 'it is'",
  });
  expect(answers).toEqual({
    one: "a\nb",
    none: "",
    failed: "cat: /nowhere: No such file or directory",
    last: "it is",
  });
  expect(connections).toBe(1);
});
