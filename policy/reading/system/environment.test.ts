import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEnvironment } from "./environment.ts";

const read = (text: string) =>
  readEnvironment({ at: "file", text }).settings?.map(({ path, value }) => [path.join("."), value]);

describe("readEnvironment", () => {
  it("gives each variable with its place", () => {
    expect(readEnvironment({ at: "file", text: "A=1" }).settings).toEqual([
      { at: "file › A", path: ["A"], value: "1" },
    ]);
  });

  it("passes over comments and lines that assign nothing", () => {
    expect(read("# A=1\n;B=2\n\nC\n  D = x=y  \r\nE=\n1F=2\n")).toEqual([
      ["D", "x=y"],
      ["E", ""],
    ]);
  });

  it("takes quotes, escapes and export off", () => {
    expect(read(`A="a b" \nexport B='c "d" \\n'\nC=x\\ y\\\\\nD="\\$z \\n"\nE='a'"b"c`)).toEqual([
      ["A", "a b"],
      ["B", 'c "d" \\n'],
      ["C", "x y\\"],
      ["D", "$z \\n"],
      ["E", "abc"],
    ]);
  });

  it("goes on behind a backslash and within quotes", () => {
    expect(read('A=one \\\n two\nB="x\ny"\nC=3')).toEqual([
      ["A", "one  two"],
      ["B", "x\ny"],
      ["C", "3"],
    ]);
  });

  it("reports what is assigned within an open quote, since podman knows no quotes", () => {
    expect(read('A="\nHERMES_DASHBOARD_HOST=0.0.0.0\n')).toContainEqual(["HERMES_DASHBOARD_HOST", "0.0.0.0"]);
  });

  it("never throws, and reads a megabyte within three seconds of CPU time", () => {
    fc.assert(fc.property(fc.string(), (text) => void read(`A=${text}\n${text}="`)));
    // Of the processor: other tests may run beside this one.
    const start = process.threadCpuUsage();
    for (const piece of ['"', "\\", "A=\n", 'A="\n', " ", "a", "A='\\\n"])
      read(`A=${piece.repeat(2 ** 20 / piece.length / 7)}`);
    expect(process.threadCpuUsage(start).user).toBeLessThan(3_000_000);
  });
});
