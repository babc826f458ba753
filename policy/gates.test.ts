import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gates } from "./gates.ts";
import type { GateCases } from "./testing/cases.ts";
import { contradiction, misdeclared } from "./testing/expectation.ts";
import { judgeCase, judgedResources } from "./testing/judge-case.ts";

const folder = new URL("gates/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".cases.ts"));

it("every gate has a file of its own, and cases beside it", () => {
  expect(files.map((name) => name.replace(/\.cases\.ts$/, "")).toSorted()).toEqual(
    gates.map(({ id }) => id).toSorted(),
  );
});

describe.each(gates.map((gate) => [gate.id, gate] as const))("the gate %s", async (id, gate) => {
  const { cases } = (await import(new URL(`${id}.cases.ts`, folder).href)) as { cases: GateCases };

  it("has cases that a program could register: no two resources of one type and name", () => {
    for (const { title, resources } of [...cases.refuses, ...cases.allows]) {
      const names = resources.map(({ type, name = "it" }) => `${type} ${name}`);
      expect([title, new Set(names).size]).toEqual([title, names.length]);
    }
  });

  it("is as strict as it must be", () => {
    expect(misdeclared(gate, id, cases)).toBeUndefined();
  });

  // A stack policy runs when `up --skip-preview` has made everything.
  it("judges a resource before it is made, unless it only advises", () => {
    expect([gate.level, gate.when]).not.toEqual(["mandatory", "end"]);
  });

  it.each(cases.allows.map((one) => [one.title, one] as const))("lets through %s", async (_title, one) => {
    expect(contradiction("allows", one, await judgeCase(gate, one))).toBeUndefined();
  });

  it.each(cases.refuses.map((one) => [one.title, one] as const))("refuses %s", async (_title, one) => {
    expect(contradiction("refuses", one, await judgeCase(gate, one))).toBeUndefined();
  });

  it("says in one paragraph which resource, and what to change", async () => {
    for (const one of cases.refuses) {
      const judged = await judgedResources(gate, one);
      const changes = judged.flatMap(({ problems }) => problems.map(({ fix = gate.remediation }) => fix));
      for (const paragraph of judged.flatMap(({ paragraphs }) => paragraphs)) {
        expect(paragraph).toMatch(/^[^\n]+[.?!]$/);
        expect(one.resources.some(({ name = "it" }) => paragraph.startsWith(`${name}: `))).toBe(true);
        expect(
          changes.some(
            (change) => change !== "" && paragraph.replace(/\.$/, "").endsWith(change.replace(/\.$/, "")),
          ),
          paragraph,
        ).toBe(true);
      }
    }
  });
});
