import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluated } from "../../test/support/nix.ts";
import { Application, Commented, Expression, Lambda, type NixValue, nix, nixFile } from "./nix.ts";

/** Pieces that mean something in one of Nix's two kinds of strings, among any others. */
const nasty = fc.constantFrom(
  ..."$ { } \\ \" ' '' ''' ${ $${ \\${ ''${ $$ ''\\ \n \r \r\n \t \u007f \u2028 é 漢 😀 \ufeff # /* -- ;".split(
    " ",
  ),
);
const text = fc.oneof(
  fc.array(nasty, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }).map((string) => string.replaceAll("\0", "0")),
  // Lines, some of them indented, blank, or ended by what has a meaning.
  fc
    .array(
      fc.tuple(fc.constantFrom("", " ", "    "), fc.oneof(nasty, fc.constantFrom("", "a b", "'", "$"))),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((all) => all.map(([blank, rest]) => `${blank}${rest}\n`).join("")),
);
/** Nix gives a set with one of these names as something else than a set. */
const name = text.filter((key) => !["__proto__", "outPath", "__toString", "__functor"].includes(key));
const { value } = fc.letrec<{ value: NixValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(name, fc.constantFrom("a", "b", "let", "or", "x-1", "y'")), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

describe("nix", () => {
  it("writes any string so that Nix reads the same string", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200, size: "max" }), (strings) => {
        expect(evaluated(nix(strings))).toEqual(strings);
      }),
      { numRuns: 15 },
    );
  });

  it("writes any value so that Nix reads the same value", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 50, size: "max" }), (values) => {
        expect(evaluated(nix(values))).toEqual(values);
      }),
      { numRuns: 15 },
    );
  });

  it("writes a text of several lines as a person would, and only where Nix reads it as it is", () => {
    expect(nix({ a: { text: "[A]\nb=c\n", n: 1 } })).toBe(
      "{\n  a = {\n    text = ''\n      [A]\n      b=c\n    '';\n    n = 1;\n  };\n}",
    );
    expect(nix(`a\n\n  \${b}\n`)).toBe(`''\n  a\n\n    ''\${b}\n''`);
    for (const plain of ["a\n", "a\nb", "a''\nb\n", "  a\n  b\n", "a\n  \nb\n", "'$\nb\n", "a\tb\nc\n"]) {
      expect(nix(plain)).toMatch(/^".*"$/);
    }
  });

  it("quotes an attribute's name that is a keyword or no identifier", () => {
    expect(nix({ in: 1, "20-lan": 2, "a.b": 3, "a-b": 4, [`\${x}`]: 5 })).toBe(
      `{\n  "in" = 1;\n  "20-lan" = 2;\n  "a.b" = 3;\n  a-b = 4;\n  "\\\${x}" = 5;\n}`,
    );
  });

  it("refuses what Nix cannot hold", () => {
    expect(() => nix("a\0b")).toThrow(/NUL.*"a\\u0000b"/);
    expect(() => nix("\ud800")).toThrow(/surrogate/);
    expect(() => nix(1.5)).toThrow(/safe integers.*1\.5/);
    expect(() => nix(2 ** 53)).toThrow(/safe integers/);
  });

  it("writes a set of one attribute as a path, with the comments along it above", () => {
    const inner = new Commented("why\nand how", { c: new Commented("inside", { d: true }) });
    expect(nix({ a: { b: inner, left: undefined } })).toBe(
      "{\n  # why\n  # and how\n  # inside\n  a.b.c.d = true;\n}",
    );
  });

  it("keeps an empty set and an empty list on the line", () => {
    expect(nix({ a: {}, b: [], c: { d: undefined } })).toBe("{\n  a = { };\n  b = [ ];\n  c = { };\n}");
  });

  it("gives a list more lines when it has several elements or a long one", () => {
    expect(nix({ a: ["x"], b: ["x", "y"], c: ["z".repeat(70)], d: [{ e: 1 }] }, "  ")).toBe(
      `{
    a = [ "x" ];
    b = [
      "x"
      "y"
    ];
    c = [
      "${"z".repeat(70)}"
    ];
    d = [
      {
        e = 1;
      }
    ];
  }`,
    );
  });

  it("sets long attributes apart at the top of a file, and commented ones everywhere", () => {
    expect(nix({ a: 1, b: { c: 2, d: new Commented("why", 3), e: 4 }, f: 5, g: 6 })).toBe(
      "{\n  a = 1;\n\n  b = {\n    c = 2;\n\n    # why\n    d = 3;\n    e = 4;\n  };\n\n  f = 5;\n  g = 6;\n}",
    );
  });

  it("writes functions and their application so that Nix computes with them", () => {
    const twice = new Expression("x: x + x");
    const given = new Lambda(
      "{ n }",
      { sum: new Application("twice", new Expression("n")), n: [-1] },
      { twice },
    );
    expect(nix(given)).toBe("{ n }:\nlet\n  twice = x: x + x;\nin\n{\n  sum = twice n;\n  n = [ (-1) ];\n}");
    expect(evaluated(`(${nix(given)}) { n = 21; }`)).toEqual({ sum: 42, n: [-1] });
    expect(evaluated(`let id = x: x; in ${nix([new Application("id", "a")])}`)).toEqual(["a"]);
    expect(nix({ f: new Lambda("x", { y: 1 }) })).toBe("{\n  f =\n    x:\n    {\n      y = 1;\n    };\n}");
  });

  it("indents the later lines of an expression, but no empty one", () => {
    expect(nix({ a: { b: new Expression("''\n  x\n\n  y\n''"), c: 1 } })).toContain(
      "    b = ''\n      x\n\n      y\n    '';\n",
    );
  });
});

describe("nixFile", () => {
  it("says who wrote it", () => {
    expect(nixFile({})).toBe(
      '# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.\n{ }\n',
    );
  });
});
