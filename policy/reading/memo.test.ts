import { expect, it, vi } from "vitest";
import { UNKNOWN } from "./content.ts";
import { keyOf, Memo } from "./memo.ts";

it("makes a thing once of each text", () => {
  const memo = new Memo<{ text: string }>();
  const make = (text: string) => memo.of(text, () => ({ text }));
  const first = make("a");
  expect([make("b"), make("a")]).toEqual([{ text: "b" }, { text: "a" }]);
  expect(make("a")).toBe(first);
});

it("makes nothing once of a text", () => {
  const memo = new Memo<undefined>();
  const make = vi.fn(() => undefined);
  expect([memo.of("a", make), memo.of("a", make)]).toEqual([undefined, undefined]);
  expect(make).toHaveBeenCalledTimes(1);
});

it("begins anew when it holds too much, and keeps what it was asked for last", () => {
  const memo = new Memo<string>(5);
  const make = vi.fn(() => "made");
  for (const text of ["aaa", "bbb", "aaa", "bbb"]) memo.of(text, make);
  expect(make).toHaveBeenCalledTimes(2);
  memo.of("ccc", make);
  memo.of("ccc", make);
  expect(make).toHaveBeenCalledTimes(3);
  memo.of("aaa", make);
  expect(make).toHaveBeenCalledTimes(4);
});

it("tells all values apart, what is unknown from what looks like it", () => {
  const values = [
    UNKNOWN,
    "\u0000",
    "\u0000\u0000",
    [],
    [UNKNOWN],
    ["\u0000"],
    {},
    null,
    "",
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "NaN",
    "\u0000:NaN",
    0,
    "0",
  ];
  expect(new Set(values.map((value) => keyOf({ value }))).size).toBe(values.length);
  expect(keyOf({ a: UNKNOWN })).toBe(keyOf({ a: UNKNOWN }));
});
