import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { word } from "../../../components/render/systemd.ts";
import { UNKNOWN } from "../content.ts";
import { assigned, expandedWord, systemdWords, unitEntries, withSpecifiers } from "./systemd-syntax.ts";

const texts = (value: string) => systemdWords(value).map(({ text }) => text);

describe("unitEntries", () => {
  it("passes over comments, also between continued lines, and lines that are nothing", () => {
    const text = "a=0\n[S]\n# x=1\n;y=2\nnonsense\nk = one \\\n# not the end\n  two\n=v\nl=\n";
    expect(unitEntries(text, " ")).toEqual([
      { section: "", key: "a", value: "0" },
      { section: "S", key: "k", value: "one  two" },
      { section: "S", key: "l", value: "" },
    ]);
  });

  it("joins continued lines as systemd or as Quadlet does", () => {
    expect(unitEntries("[S]\nk=la\\\ntest", " ")[0]?.value).toBe("la test");
    expect(unitEntries("[S]\nk=la\\\ntest", "")[0]?.value).toBe("latest");
  });

  it("ends a line at an escaped backslash in systemd only", () => {
    expect(unitEntries("[S]\nk=a\\\\\nl=b", " ")).toHaveLength(2);
    expect(unitEntries("[S]\nk=a\\\\\nl=b", "")).toHaveLength(1);
  });

  it("reads a last line that ends in a backslash, and lines with carriage returns", () => {
    expect(unitEntries("[S]\r\nk=v\r\nl=w\\", " ").map(({ value }) => value)).toEqual(["v", "w"]);
  });
});

describe("assigned", () => {
  it("takes back what stands before an empty assignment, in that section alone", () => {
    const entries = unitEntries("[S]\nk=1\n[T]\nk=2\n[S]\nk=\nk=3", " ");
    expect(assigned(entries, "S", "k").map(({ value }) => value)).toEqual(["3"]);
    expect(assigned(entries, "T", "k").map(({ value }) => value)).toEqual(["2"]);
  });
});

describe("systemdWords", () => {
  it("takes quotes and escapes off, and keeps unknown escapes", () => {
    expect(texts(`a "b c"d 'e "f' \\x41\\u00e9\\101\\s\\t. \\d "" "open \\`)).toEqual([
      "a",
      "b cd",
      'e "f',
      "AéA \t.",
      "\\d",
      "",
      "open \\",
    ]);
  });

  it("undoes what the renderers write", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: such texts are refused by the renderer
        fc.pre(!/[\u0000-\u001f\u007f]/.test(text));
        expect(texts(word(text)).map(withSpecifiers)).toEqual([text]);
      }),
    );
  });
});

describe("expandedWord", () => {
  const variables = new Map([["A", "x  'y z'"]]);

  it("splits a variable that is a word of its own, and puts one in braces in as it is", () => {
    expect(expandedWord("$A", variables)).toEqual(["x", "y z"]);
    expect(expandedWord("-$" + "{A}-", variables)).toEqual(["-x  'y z'-"]);
  });

  it("does not know a variable that the unit does not set", () => {
    expect(expandedWord("$B", variables)).toEqual([UNKNOWN]);
    expect(expandedWord("r:$" + "{B}", variables)).toEqual([UNKNOWN]);
    expect(expandedWord("r:$" + "{A:-b}", variables)).toEqual([UNKNOWN]);
  });

  it("keeps escaped dollars, dollars within words, and specifiers", () => {
    expect(expandedWord("$$A a$A 100%% %h", variables)).toEqual(["$A a$A 100% %h"]);
  });
});
