import { expect, test } from "vitest";
import { atLeast, parseVersion } from "./versions.ts";

test("a version is found in what programs print", () => {
  expect(parseVersion("v3.274.1\n")).toEqual([3, 274, 1]);
  expect(parseVersion("go version go1.26.6 linux/amd64")).toEqual([1, 26, 6]);
  expect(parseVersion("go version go1.26 linux/amd64")).toEqual([1, 26, 0]);
  expect(parseVersion("command not found")).toBe(undefined);
});

test("versions compare by number, not by text", () => {
  expect(atLeast([3, 230, 0], [3, 230, 0])).toBe(true);
  expect(atLeast([3, 99, 9], [3, 230, 0])).toBe(false);
  expect(atLeast([4, 0, 0], [3, 230, 0])).toBe(true);
});
