import { expect, it } from "vitest";
import { beginsLikeSshConfig } from "./ssh.ts";

it("finds the beginning of a client's configuration behind millions of comments", () => {
  const started = performance.now();
  for (const comment of ["#\n", " \n # Mine\n", "# # #\n"]) {
    const comments = comment.repeat(4_000_000 / comment.length);
    expect(beginsLikeSshConfig(`${comments}Host *\n`)).toBe(true);
    expect(beginsLikeSshConfig(`${comments}Hosts are below.\n`)).toBe(false);
  }
  // What is quadratic takes minutes.
  expect(performance.now() - started).toBeLessThan(20_000);
});
