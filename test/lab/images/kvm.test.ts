import { describe, expect, it } from "vitest";
import { printsLine } from "./kvm.ts";

describe("printsLine", () => {
  it("is true as soon as the line is there, and ends the program", async () => {
    const started = Date.now();
    expect(
      await printsLine(["sh", "-c", "echo Linux version 6; exec sleep 30"], "Linux version", 10_000),
    ).toBe(true);
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  it("is false when the program hangs in silence, as a broken KVM does", async () => {
    expect(await printsLine(["sh", "-c", "echo SeaBIOS; exec sleep 30"], "Linux version", 300)).toBe(false);
  });

  it("is false when the program ends without the line or does not exist", async () => {
    expect(await printsLine(["sh", "-c", "echo failed"], "Linux version", 5_000)).toBe(false);
    expect(await printsLine(["no-such-program-here"], "Linux version", 5_000)).toBe(false);
  });
});
