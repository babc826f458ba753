import { describe, expect, it } from "vitest";
import { freeBytes, requireSpace } from "./disk-space.ts";

const GIB = 1024 ** 3;

describe("requireSpace", () => {
  it("lets a disk with room pass", () => {
    expect(() => requireSpace("/x", 6 * GIB, 6 * GIB)).not.toThrow();
  });

  it("names the folder, what is free and what is needed", () => {
    expect(() => requireSpace("/x", 6 * GIB, 1.5 * GIB)).toThrow(/\/x has 1\.5 GiB free.*needs 6\.0 GiB/);
  });

  it("asks the file system when it is told nothing", () => {
    expect(freeBytes("/")).toBeGreaterThan(0);
    expect(() => requireSpace("/", Number.MAX_SAFE_INTEGER)).toThrow("GiB free");
  });
});
