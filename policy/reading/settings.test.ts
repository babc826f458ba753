import { describe, expect, it } from "vitest";
import type { Value } from "../pack/resource.ts";
import { UNKNOWN } from "./content.ts";
import { settingsOf } from "./settings.ts";

/** A value inside so many keys. */
const nested = (depth: number): Value =>
  Array.from({ length: depth }).reduce<Value>((inner) => ({ a: inner }), "leaf");

describe("the settings of a value", () => {
  it("are its leaves, each at its path, indices of lists being keys", () => {
    expect(settingsOf({ a: { b: 1, c: [true, null] }, d: UNKNOWN })).toEqual([
      { at: "a.b", path: ["a", "b"], value: 1 },
      { at: "a.c.0", path: ["a", "c", "0"], value: true },
      { at: "a.c.1", path: ["a", "c", "1"], value: null },
      { at: "d", path: ["d"], value: UNKNOWN },
    ]);
  });

  it("have what is empty, and nothing that is not set", () => {
    expect(settingsOf({ list: [], object: {}, none: undefined })).toEqual([
      { at: "list", path: ["list"], value: [] },
      { at: "object", path: ["object"], value: {} },
    ]);
  });

  it("lead through the place of the whole", () => {
    expect(settingsOf({ a: 1 }, "stdin", ["x"])).toEqual([{ at: "stdin › x.a", path: ["x", "a"], value: 1 }]);
    expect(settingsOf("text", "stdin")).toEqual([{ at: "stdin", path: [], value: "text" }]);
  });

  it("end at a depth that nobody writes", () => {
    expect(settingsOf(nested(64))).toHaveLength(1);
    expect(settingsOf(nested(65))).toEqual([]);
    expect(settingsOf(nested(5000))).toEqual([]);
  });
});
