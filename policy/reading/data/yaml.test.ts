import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { parseYaml, readYaml } from "./yaml.ts";

/** Milliseconds of the processor: what else the machine does must not count. */
const cpuTime = () => process.cpuUsage().user / 1000;

const read = (text: string) => readYaml({ text, at: "user-data" });
const values = (text: string) =>
  (read(text).settings ?? []).map(({ path, value }) => [path.join("."), value]);

describe("readYaml", () => {
  it("yields every leaf of every document", () => {
    expect(values("a:\n  b: [1, yes]\n---\nc: null\n")).toEqual([
      ["a.b.0", 1],
      ["a.b.1", "yes"],
      ["c", null],
    ]);
  });

  it("follows aliases and merged keys, and keeps both values of a key given twice", () => {
    expect(values("x: &x {k: funnel}\ny: *x\nz: {<<: *x, k: 1}\nk: 1\nk: 2")).toEqual([
      ["x.k", "funnel"],
      ["y.k", "funnel"],
      ["z.k", "funnel"],
      ["z.k", 1],
      ["k", 1],
      ["k", 2],
    ]);
  });

  it("ignores tags, but decodes !!binary", () => {
    expect(values("a: !secret funnel\nb: !!binary ZnVubmVs")).toEqual([
      ["a", "funnel"],
      ["b", "funnel"],
    ]);
  });

  it("reads the files of write_files in their encodings", () => {
    const packed = gzipSync("tailscale funnel 443").toString("base64");
    const text = `#cloud-config
write_files:
  - path: /a.sh
    content: |
      tailscale up
  - {path: /b.sh, encoding: b64, content: ZnVubmVs}
  - {path: /c.sh, encoding: gz+b64, content: ${packed}}
  - path: /d.sh
    content: !!binary ZnVubmVs
`;
    expect(read(text).texts?.map(({ path, text: content }) => [path, content])).toEqual([
      ["/a.sh", "tailscale up\n"],
      ["/b.sh", "funnel"],
      ["/c.sh", "tailscale funnel 443"],
      ["/d.sh", "funnel"],
    ]);
  });

  it("leaves prose in a comment alone", () => {
    expect(values("# tailscale funnel 443\na: 1")).toEqual([["a", 1]]);
  });

  it("reads what user data wraps", () => {
    const mime =
      "Content-Type: multipart/mixed; boundary=x\nMIME-Version: 1.0\n\n--x\n\n#!/bin/sh\nid\n--x--\n";
    expect(read(mime).texts?.map(({ text }) => text)).toEqual(["#!/bin/sh\nid"]);
    expect(read("#cloud-boothook\nid\n").texts).toEqual([{ at: "user-data", text: "id\n", format: "shell" }]);
    expect(read("#cloud-config-archive\n- type: text/x-shellscript\n  content: id\n").texts).toEqual([
      { at: "user-data › [0]", text: "id", format: "shell" },
    ]);
  });

  it("is not blown up by aliases of aliases, and still sees what comes after them", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 30; level++) {
      const alias = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array(9).fill(alias).join(", ")}]`);
    }
    const start = cpuTime();
    const found = values(`${lines.join("\n")}\nlast: funnel\n`);
    expect(found.at(-1)).toEqual(["last", "funnel"]);
    expect(found.length).toBeLessThan(200_000);
    expect(cpuTime() - start).toBeLessThan(3000);
  });

  it("is not blown up by merged keys of merged keys", () => {
    const lines = ["a0: &a0 {k0: 0}"];
    for (let level = 1; level < 40; level++) {
      const merged = Array(9)
        .fill(`*a${level - 1}`)
        .join(", ");
      lines.push(`a${level}: &a${level} {<<: [${merged}], k${level}: ${level}}`);
    }
    expect(values(lines.join("\n")).length).toBeLessThan(1000);
  });

  it("says UNKNOWN of an alias to itself, and ends where a text is nested without an end", () => {
    expect(values("a: &a [*a]")).toEqual([["a.0", UNKNOWN]]);
    expect(values("[".repeat(100_000))).toHaveLength(1);
  });

  it("never throws", () => {
    const unit = fc.constantFrom(..."ab:-[]{},&*!|>'\"#%@\n  <?1");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => void read(text)),
      { numRuns: 500 },
    );
    const keys = [
      "services",
      "x",
      "image",
      "volumes",
      "kind",
      "containers",
      "runcmd",
      "write_files",
      "content",
    ];
    const data = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, "a:b:ro", true),
        tie("object"),
        fc.array(tie("tree")),
      ),
      object: fc.dictionary(fc.constantFrom(...keys), tie("tree")),
    }));
    fc.assert(fc.property(data.object, (value) => void read(JSON.stringify(value))));
  });

  it("reads a megabyte of cloud-config within three seconds of CPU time", () => {
    const file = (index: number) =>
      `  - path: /srv/${index}\n    content: |\n${"      some words in a line of text\n".repeat(200)}`;
    const text = `#cloud-config\nwrite_files:\n${Array.from({ length: 150 }, (_, index) => file(index)).join("")}`;
    const start = cpuTime();
    expect(read(text).texts).toHaveLength(150);
    expect(cpuTime() - start).toBeLessThan(3000);
  });

  // The library takes about 12 µs for each of the smallest nodes.
  it.each([
    ["lists", `#cloud-config\nruncmd:\n${"- [tailscale, up]\n".repeat(10_000)}`],
    ["documents", "---\na: 1\n".repeat(6_000)],
    ["keys", "a: b\n".repeat(20_000)],
    ["headers", "Content-Type: text/plain\n".repeat(8_000)],
    ["aliases", `a: &a [x]\nb: [${"*a, ".repeat(40_000)}]`],
  ])("reads much of nothing but the smallest %s within a second", (_, text) => {
    const start = cpuTime();
    read(text);
    expect(cpuTime() - start).toBeLessThan(3000);
  });

  it("does not load the library before the first text", () => {
    const source = readFileSync(new URL("./yaml.ts", import.meta.url), "utf8");
    expect(source.match(/^import (?!type).* from "yaml"/m)).toBeNull();
    expect(parseYaml("a: 1")).toHaveLength(1);
  });
});
