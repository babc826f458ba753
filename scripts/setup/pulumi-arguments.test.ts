import { expect, test } from "vitest";
import { namedStack, onLabStack } from "./pulumi-arguments.ts";

const stack = { name: "pve-sbx", file: "/lab/Pulumi.pve-sbx.yaml", folder: "/lab" };
const added = ["--stack", "pve-sbx", "--config-file", "/lab/Pulumi.pve-sbx.yaml"];
const call = (line: string) => onLabStack(line.split(" "), stack);

test.each([
  "up",
  "preview --diff",
  "refresh --yes",
  "destroy",
  "config",
  "config set --secret a:b c",
  "--color never up",
  "-v=3 up",
])("`pulumi %s` uses the lab's stack file", (line) => {
  expect(call(line)).toEqual({ args: [...line.split(" "), ...added] });
});

test("a stack that is named is not named again", () => {
  expect(call("up -s pve-sbx").args.join(" ")).toBe(`up -s pve-sbx --config-file ${stack.file}`);
  expect(call("up --stack=pve-sbx").args.join(" ")).toBe(`up --stack=pve-sbx --config-file ${stack.file}`);
});

test("the additions stand before --, after which there are no flags", () => {
  expect(call("config set a:b -- -1").args).toEqual(["config", "set", "a:b", ...added, "--", "-1"]);
  expect(call("config set a:b -- --config-file").args.slice(-2)).toEqual(["--", "--config-file"]);
});

test.each([
  "up --stack chopper",
  "up -s chopper",
  "config --stack=chopper",
  "up --config-file mine.yaml",
  "up --config-file=mine.yaml",
  "-C elsewhere up",
  "version",
  "stack output --json",
  "stack export --file config",
  "plugin ls",
  "--version",
])("nothing is added to `pulumi %s`", (line) => {
  expect(call(line)).toEqual({ args: line.split(" ") });
});

test.each(["stack rm --yes", "stack init other", "stack select --create pve-sbx", "stack rename x"])(
  "`pulumi %s` works on the stack file of the lab's folder, not on the shipped one",
  (line) => {
    expect(call(line)).toEqual({ args: line.split(" "), cwd: "/lab" });
  },
);

test("the stack that is named is found wherever a flag may stand, and not behind --", () => {
  const lines = ["up -s chopper", "--stack=chopper up", "stack output --json --stack chopper"];
  for (const line of lines) expect(namedStack(line.split(" "))).toBe("chopper");
  for (const line of ["up", "config set a:b -- --stack=chopper"]) {
    expect(namedStack(line.split(" "))).toBeUndefined();
  }
});
