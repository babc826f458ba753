import { expect, it, test } from "vitest";
import { reviewArguments, UsageError } from "./arguments.ts";

const STACKS = ["chopper", "pve-sbx"];

test("without a stack every stack is reviewed", () => {
  expect(reviewArguments([], STACKS, {})).toEqual({ stacks: STACKS, summaries: [] });
});

test("a stack is reviewed once, and each summary file is kept", () => {
  const args = [
    "chopper",
    "chopper",
    "--summary",
    "a.md",
    "--summary=b.md",
    "--policy-pack-config",
    "c.json",
  ];
  expect(reviewArguments(args, STACKS, {})).toEqual({
    stacks: ["chopper"],
    summaries: ["a.md", "b.md"],
    packConfig: "c.json",
  });
});

it.each([
  ["a stack without a file", ["production"], STACKS, {}, "there are stacks chopper, pve-sbx"],
  ["an option that it does not know", ["--skip-preview"], STACKS, {}, "Unknown option"],
  ["a summary without a file", ["--summary"], STACKS, {}, "--summary"],
  ["a summary whose variable is empty", ["--summary", ""], STACKS, {}, "needs the name of a file"],
  ["a folder without stack files", [], [], {}, "no Pulumi.STACK.yaml"],
  ["an empty backend", [], STACKS, { PULUMI_BACKEND_URL: "" }, "PULUMI_BACKEND_URL is empty"],
])("refuses %s", (_title, args, stacks, env, message) => {
  expect(() => reviewArguments(args, stacks, env)).toThrow(UsageError);
  expect(() => reviewArguments(args, stacks, env)).toThrow(message);
});
