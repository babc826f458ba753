import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { check } from "./check.ts";
import { report } from "./report.ts";
import { subjectsIn } from "./subjects.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const run = (...only: string[]) =>
  check(subjectsIn({ gates: pathOf("sample/gates"), modules: [pathOf("sample/modules")], only }), 2000);

describe("the mutation check", () => {
  it("lets a gate through whose every condition is held by a case", async () => {
    const { outcomes, errors } = await run("covered");
    expect(errors).toEqual([]);
    expect(new Set(outcomes.map(({ fate }) => fate))).toEqual(new Set(["killed", "ignored"]));
  });

  it("kills mutants of what is computed when the module loads", async () => {
    const { outcomes } = await run("covered");
    const table = outcomes.filter(({ mutant }) => mutant.line === 4);
    expect(table.map(({ mutant, fate }) => [mutant.original, fate])).toEqual([
      ['["latest", "main"]', "killed"],
      ['"latest"', "killed"],
      ['"main"', "killed"],
      // Left out, which is not the same as emptied.
      ['"latest"', "killed"],
      ['"main"', "killed"],
    ]);
  });

  it("names the condition that no case holds", async () => {
    const result = await run("uncovered");
    const survivors = result.outcomes.filter(({ fate }) => fate === "survived");
    expect(survivors.map(({ mutant }) => `${mutant.original} → ${mutant.replacement}`)).toEqual([
      "protect → false",
    ]);
    expect(report(result, 1)).toMatch(
      /survived: .*uncovered\.ts:12:18 ConditionalExpression, .*\n {2}- protect\n {2}\+ false\n/,
    );
  });

  it("ends a mutant that never does, counts it as killed and goes on with the next", async () => {
    const result = await run("endless");
    const late = result.outcomes.filter(({ fate }) => fate === "timed out");
    expect(late.map(({ mutant }) => mutant.original)).toEqual(["letters.shift();"]);
    expect(result.outcomes.filter(({ fate }) => fate === "survived")).toEqual([]);
    expect(report(result, 1)).toContain("(1 by the time limit)");
  });

  it("leaves out texts for people and the schema of settings, but no id or level", async () => {
    const { outcomes } = await run("covered");
    const ignored = outcomes.filter(({ fate }) => fate === "ignored").map(({ mutant }) => mutant.original);
    expect(ignored).toContain('"What runs must not change by itself."');
    expect(ignored.some((text) => text.endsWith(", which moves`"))).toBe(true);
    expect(ignored).toContain('"number"');
    expect(ignored).not.toContain('"covered"');
    expect(ignored).not.toContain('"mandatory"');
  });

  it("takes no comment without a reason, for more than a line, or for nothing", async () => {
    const { errors } = await run("careless");
    expect(errors.map((error) => error.replace(/^.*careless\.ts: /, ""))).toEqual([
      expect.stringMatching(/Mutator with name 'Equality' not found/),
      expect.stringMatching(/^line 11: .*give the reason after a colon/),
      expect.stringMatching(/^line 13: .*it ignores nothing/),
      expect.stringMatching(/^line 15: .*it ignores nothing/),
      expect.stringMatching(/^line 17: .*only "disable next-line" is allowed/),
    ]);
  });

  it("holds the gates that load a shared module to its conditions", async () => {
    const { outcomes } = await run("names");
    const survivors = outcomes.filter(({ fate }) => fate === "survived");
    expect(survivors.map(({ mutant }) => `${mutant.original} → ${mutant.replacement}`)).toEqual([
      "name.length > 63 → false",
      "name.length > 63 → name.length >= 63",
    ]);
    const table = outcomes.filter(({ mutant }) => mutant.line === 2);
    expect(table.map(({ fate }) => fate)).toEqual(Array.from({ length: 5 }, () => "killed"));
  });

  it("measures nothing on a gate that fails its own cases", async () => {
    const { errors } = await run("mistaken");
    expect(errors).toEqual([expect.stringMatching(/mistaken\.ts: lets "latest" through$/)]);
  });

  it("asks for a case of each verdict", async () => {
    const { errors } = await run("caseless");
    expect(errors).toEqual([expect.stringMatching(/caseless\.ts: caseless has no case that it refuses$/)]);
  });

  it("holds a module's own test to its conditions, where no gate loads it", async () => {
    const { outcomes, errors } = await run("lengths");
    expect(errors).toEqual([]);
    const survivors = outcomes.filter(({ fate }) => fate === "survived");
    expect(survivors.map(({ mutant }) => mutant.replacement)).toEqual(["name.length <= 2"]);
  });

  it("says when neither a gate nor a test loads a module", async () => {
    const { errors } = await run("unloaded");
    expect(errors).toEqual([expect.stringMatching(/unloaded\.ts: no gate and no test loads it$/)]);
  });

  it("refuses the name of a module that there is not", () => {
    expect(() => subjectsIn({ gates: pathOf("sample/gates"), only: ["absent"] })).toThrow(
      "no such module: absent; there are",
    );
  });

  it("leaves a reader, on which every case depends, to its own test", () => {
    const modules = [pathOf("../../policy/reading/argv.ts")];
    const [subject] = subjectsIn({ gates: pathOf("../../policy/gates"), modules, only: ["argv"] });
    expect(subject?.gates).toEqual([]);
    expect(subject?.test).toBe(pathOf("../../policy/reading/argv.test.ts"));
    expect(subject?.dependents).toContain(pathOf("../../policy/reading/read.ts"));
  });
});
