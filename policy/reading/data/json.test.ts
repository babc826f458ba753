import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "./json.ts";

/** Milliseconds of the processor: what else the machine does must not count. */
const cpuTime = () => process.cpuUsage().user / 1000;

const values = (text: string) =>
  (readJson({ text, at: "x" }).settings ?? []).map(({ path, value }) => [path.join("."), value]);

describe("readJson", () => {
  it("yields every leaf of plain JSON", () => {
    expect(values('{"a": {"b": [1, "x:y"]}, "c": false}')).toEqual([
      ["a.b.0", 1],
      ["a.b.1", "x:y"],
      ["c", false],
    ]);
  });

  it("reads comments and trailing commas", () => {
    expect(values('// why\n{"a": 1, /* b */ "c": ["x",],}')).toEqual([
      ["a", 1],
      ["c.0", "x"],
    ]);
  });

  it.each(['{"a": 1, "a": {"b": "\\u0066unnel"}}', '{"a": 1, "a": {"b": "funnel"},}'])(
    "yields both values of a key given twice: %s",
    (text) => {
      expect(values(text)).toEqual([
        ["a", 1],
        ["a.b", "funnel"],
      ]);
    },
  );

  it("still yields the values of a text that is cut short or has strange words in it", () => {
    expect(values('{"a": [nonsense, "x", {"b": "y"')).toEqual([
      ["a.0", "nonsense"],
      ["a.1", "x"],
      ["a.2.b", "y"],
    ]);
  });

  it("yields the files that a part of ours carries, line by line", () => {
    const text = JSON.stringify({
      name: "x",
      files: [{ path: "/etc/x", mode: "0644", content: ["a", "b"] }],
    });
    expect(readJson({ text, at: "stdin" }).texts).toEqual([
      { path: "/etc/x", at: "stdin › /etc/x", text: "a\nb" },
    ]);
  });

  it("takes a key named command, script or run for no command", () => {
    expect(readJson({ text: '{"command": "tailscale funnel 443"}', at: "" }).commands ?? []).toEqual([]);
  });

  it("never throws, and finds in HuJSON what JSON.parse finds in JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ae10 \n') }), (text) => void values(text)),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(values(`${text} // end`)).toEqual(values(text));
      }),
    );
  });

  it.each([
    ["deep lists", "[".repeat(250_000)],
    ["deep objects", '{"a":'.repeat(80_000)],
    ["a long list with comments", `[${'"x", /* y */ '.repeat(40_000)}]`],
    ["open comments", "/*".repeat(500_000)],
    ["quotes", '"'.repeat(400_000)],
  ])("reads much of nothing but %s within a second", (_, text) => {
    const start = cpuTime();
    values(text);
    expect(cpuTime() - start).toBeLessThan(3000);
  });
});
