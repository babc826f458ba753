import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { carriedFiles, decoded, fromPlain, leaves } from "./payload.ts";

describe("leaves", () => {
  it("names every leaf by the path from the outermost key inwards", () => {
    expect(leaves(fromPlain({ a: { b: [1, { c: true }] } }), "stdin")).toEqual([
      { path: ["a", "b", "0"], value: 1, at: "stdin › a.b.0" },
      { path: ["a", "b", "1", "c"], value: true, at: "stdin › a.b.1.c" },
    ]);
  });

  it("shows an empty composite as itself, and what is no data as UNKNOWN", () => {
    expect(leaves(fromPlain({ a: {}, b: [], c: UNKNOWN, d: null }), "x").map(({ value }) => value)).toEqual([
      {},
      [],
      UNKNOWN,
      null,
    ]);
  });

  it("keeps the values that lie deeper than anybody writes", () => {
    let value: unknown = "funnel";
    for (let depth = 0; depth < 50_000; depth++) value = [value];
    expect(leaves(fromPlain(value), "x").map((leaf) => leaf.value)).toEqual(["funnel"]);
  });
});

describe("carriedFiles", () => {
  it("finds a file whose content is a text or a list of lines", () => {
    const files = [
      { path: "/a", content: "one\ntwo" },
      { path: "/b", content: ["one", "two"] },
    ];
    expect(carriedFiles(fromPlain({ part: { files } }), "stdin")).toEqual([
      { path: "/a", at: "stdin › /a", text: "one\ntwo" },
      { path: "/b", at: "stdin › /b", text: "one\ntwo" },
    ]);
  });

  it("finds what Ignition and Butane carry", () => {
    const ignition = {
      storage: {
        files: [
          { path: "/a", contents: { source: "data:,tailscale%20funnel" } },
          { path: "/b", contents: { source: "data:;base64,ZnVubmVs" } },
          { path: "/c", contents: { inline: "in line" } },
        ],
      },
      systemd: { units: [{ name: "x.service", contents: "[Service]" }] },
    };
    expect(carriedFiles(fromPlain(ignition), "").map(({ path, text }) => [path, text])).toEqual([
      ["/a", "tailscale funnel"],
      ["/b", "funnel"],
      ["/c", "in line"],
      ["x.service", "[Service]"],
    ]);
  });

  it("takes an object with a name and a content for no file", () => {
    expect(carriedFiles(fromPlain({ name: "dns", content: "1.2.3.4" }), "")).toEqual([]);
  });
});

describe("decoded", () => {
  it.each(["gz+b64", "gzip+base64", "gz+base64", "gzip+b64"])("unpacks %s", (encoding) => {
    expect(decoded(gzipSync("hallo").toString("base64"), encoding)).toBe("hallo");
  });

  it.each(["b64", "base64", "B64"])("reads %s", (encoding) => {
    expect(decoded("aGFsbG8=", encoding)).toBe("hallo");
  });

  it("does not unpack a bomb", () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64");
    expect(decoded(bomb, "gz+b64").length).toBeLessThan(1024 * 1024);
  });

  it("leaves a plain text alone", () => {
    expect(decoded("aGFsbG8=", "text/plain")).toBe("aGFsbG8=");
  });
});
