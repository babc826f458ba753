import { expect, test } from "vitest";
import { hint } from "./build.ts";

test("the usual failures of a build get their next step", () => {
  expect(hint("write /root/.cache/go-build: no space left on device")).toContain("The disk is full");
  expect(hint("go: cel.dev/expr: dial tcp: lookup: no such host")).toContain(
    "Go module proxy cannot be reached",
  );
  expect(hint("compile: signal: killed")).toContain("out of memory");
  expect(hint("undefined: x")).toBe("");
});
