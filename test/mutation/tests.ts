/**
 * Stands in for `vitest` in a unit test that mutants are run on: it collects the tests and leaves running them to the
 * worker, which loads the file anew with each mutant. `expect` is vitest's own. Of the rest there is what these tests
 * use: `describe`, `it` and `it.each`.
 */
export { expect } from "vitest";

export type Test = () => unknown;

let collected: Test[] = [];

/** The tests that were collected since it was asked last. */
export function takeTests(): Test[] {
  const tests = collected;
  collected = [];
  return tests;
}

export const describe = (_title: string, body: () => void): void => body();

export const it = Object.assign(
  (_title: string, test: Test): void => {
    collected.push(test);
  },
  {
    each:
      (rows: readonly unknown[]) =>
      (_title: string, test: (...row: unknown[]) => unknown): void => {
        collected.push(...rows.map((row) => () => (Array.isArray(row) ? test(...row) : test(row))));
      },
  },
);
