import { describe, expect, it } from "vitest";
import { inputTexts, inputUses } from "./stdin.ts";

const uses = (script: string) => inputUses({ at: "create", words: ["sh", "-c", script], environment: {} });

describe("what a command reads", () => {
  it.each([
    ["tailscale serve set-raw", { format: "json" }],
    ["sudo -n tee /etc/x > /dev/null", { path: "/etc/x" }],
    ["cat > /etc/x", { path: "/etc/x" }],
    ["bash -s", { format: "shell" }],
    ["python3 -", { format: "script" }],
    ["while read -r line; do $line; done", { format: "shell" }],
  ])("%s", async (script, use) => {
    expect((await uses(script)).uses).toContainEqual(expect.objectContaining(use));
  });

  it("is put to no use by a command that does not look at it", async () => {
    expect((await uses("echo done")).uses).toEqual([]);
  });

  it("is put to one use once", async () => {
    const { uses: found } = await uses("tailscale serve set-raw; tailscale serve set-raw");
    expect(found.filter(({ format }) => format === "json")).toHaveLength(1);
  });

  it("is changed where it is decoded, and not where it is copied", async () => {
    expect((await uses("base64 -d | sh")).changed).toBe(true);
    expect((await uses("cat > /etc/x")).changed).toBe(false);
  });
});

describe("the text that a command reads", () => {
  const told = (script: string) => `A=1\n${script}`;

  it("is there without a use too", () => {
    expect(inputTexts("x", [], told)).toEqual([{ at: "stdin", text: "x" }]);
  });

  it("is there once for each use, with what is known of the shell that runs it", () => {
    expect(inputTexts("x", [{ format: "shell" }, { path: "/etc/x" }], told)).toEqual([
      { at: "stdin", text: "A=1\nx", format: "shell" },
      { at: "stdin", text: "x", path: "/etc/x" },
    ]);
  });

  it("is run by what its first line says, as a file", () => {
    const [text] = inputTexts("#!/bin/sh\n", [{ format: "json", path: "/x" }], told);
    expect(text?.format).toBeUndefined();
    expect(inputTexts("#!/bin/sh\n", [{ format: "json" }], told)[0]?.format).toBe("json");
    expect(inputTexts("x", [{ format: "json", path: "/x" }], told)[0]?.format).toBe("json");
  });
});
