import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { withoutEachAlternative } from "./alternatives.ts";
import { type Mutated, mutate } from "./mutants.ts";

const folder = await mkdtemp(join(tmpdir(), "mutation-"));
afterAll(() => rm(folder, { recursive: true }));

async function mutated(code: string): Promise<Mutated> {
  const file = join(folder, "code.ts");
  await writeFile(file, code);
  return mutate(file);
}
const weaker = async (code: string): Promise<string[]> => Object.values((await mutated(code)).variants);

describe("what a gate is weakened by beyond Stryker's mutators", () => {
  it.each([
    ["a call that is one of several conditions", "a(x) || b(x)", ["false || b(x)", "a(x) || false"]],
    ["a name that is one of several conditions", "a && !b", ["true && !b", "a && true"]],
    ["a condition beside a comparison, which Stryker replaces", "a(x) || x > 1", ["false || x > 1"]],
    ["the call that chooses a value", "a(x) ? 1 : 2", ["true ? 1 : 2", "false ? 1 : 2"]],
    ["a string of a list", '["a", "b"]', ['[...[], "b"]', '["a", ...[]]']],
    ["a part of a list", "[...a(x), b]", ["[...[], b]", "[...a(x), ...[]]"]],
    ["a statement of a block", "() => { a(x); return b; }", ["() => { ; return b; }"]],
    ["an alternative of a regular expression", "/^(a|b)$/i", ["/^(b)$/i", "/^(a)$/i"]],
  ])("is %s", async (_title, code, expected) => {
    expect(await weaker(`export const it = ${code};`)).toEqual(
      expected.map((text) => `export const it = ${text};`),
    );
  });

  it.each([
    ["a default value", "a ?? b"],
    ["the one part of a list, which Stryker empties", "[...a(x)]"],
    ["a comparison that chooses a value", "a === b ? 1 : 2"],
  ])("is not %s", async (_title, code) => {
    expect(await weaker(`export const it = ${code};`)).toEqual([]);
  });

  it.each([
    ["a|b|c", ["b|c", "a|c", "a|b"]],
    ["x(?:a|b(?<n>c|d))y", ["x(?:a|b(?<n>d))y", "x(?:a|b(?<n>c))y", "x(?:b(?<n>c|d))y", "x(?:a)y"]],
    ["[a|b]\\|c", []],
    ["(?=a|[)|(])b", ["(?=[)|(])b", "(?=a)b"]],
  ])("takes each alternative from %s", (pattern, expected) => {
    expect(withoutEachAlternative(pattern)).toEqual(expected);
  });

  it.each(['"a b".split(" ")', "new Set(`a b`.split(/ /))"])(
    "cannot be tried on the list %s",
    async (code) => {
      expect((await mutated(`\nexport const it = ${code};`)).complaints).toEqual([
        expect.stringMatching(/^line 2: write the words of the list as strings of their own/),
      ]);
    },
  );

  it.each(['a.split(" ")', "`$" + '{a} b`.split(" ")', '"a b".slice(1)'])(
    "has nothing against %s",
    async (code) => {
      expect((await mutated(`export const it = ${code};`)).complaints).toEqual([]);
    },
  );
});
