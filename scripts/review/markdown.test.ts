import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fenced, inline, table } from "./markdown.ts";

describe("text of others on one line", () => {
  it("keeps no character that Markdown or HTML gives a meaning", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const entitiesAside = inline(text).replaceAll(/&#\d+;/g, "");
        expect(entitiesAside).not.toMatch(/[<>"'`*_[\]()\\|~@$!{}^=&#\n]/);
        expect(entitiesAside).not.toMatch(/^[-+\d]/);
      }),
    );
  });

  it("shows what was there", () => {
    const decoded = inline("a|b `c` <d> & 1. done: 100 %").replaceAll(/&#(\d+);/g, (_match, code) =>
      String.fromCodePoint(Number(code)),
    );
    expect(decoded).toBe("a|b `c` <d> & 1. done: 100 %");
  });

  it("mentions nobody, and links nothing", () => {
    expect(inline("@everyone #12 GH-12 http://evil.example www.evil.example")).toBe(
      "&#64;&#8203;everyone &#35;&#8203;12 GH&#8203;-12 http:&#8203;//evil.example www&#8203;.evil.example",
    );
  });

  it("drops what would hide or reorder it", () => {
    expect(inline("safe\u202E\u200B\u001b[31m\u0000")).toBe("safe&#91;31m");
  });

  it("cuts what nobody reads to its end", () => {
    expect(inline("a".repeat(1_000_000))).toMatch(/^a{2000} … &#40;998000 characters more&#41;$/);
  });
});

describe("a block of text", () => {
  it.each(["```", "````\n</details>\n````", "`".repeat(50), "\r```\r", "\u2028```\u2028"])(
    "cannot end its own fence: %j",
    (text) => {
      const [opening = "", ...rest] = fenced(text).split("\n");
      const fence = opening.replace("text", "");
      expect(rest.findIndex((line) => line.trim().startsWith(fence))).toBe(rest.length - 1);
    },
  );

  it("says how much of it is left out", () => {
    expect(fenced("abcdef", 3)).toBe("```text\nabc … (3 characters more)\n```");
  });
});

it("makes a table", () => {
  expect(table(["a", "b"], [["1", "2"]])).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |");
});
