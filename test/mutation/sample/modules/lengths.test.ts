import { describe, expect, it } from "vitest";
import { fits } from "./lengths.ts";

describe("a name", () => {
  it("has two characters or more", () => {
    expect(fits("a")).toBe(false);
    expect(fits("abc")).toBe(true);
  });

  it.each([
    [63, true],
    [64, false],
  ])("of %i characters fits: %s", (length, fitting) => {
    expect(fits("x".repeat(length))).toBe(fitting);
  });
});
