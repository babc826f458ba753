import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/setup/paths.ts";
import { ScratchStack } from "../support/engine.ts";

let stack: ScratchStack;
beforeAll(async () => {
  stack = await ScratchStack.make(join(ROOT, "test/engine/record-program"));
});
afterAll(() => stack.remove());

const run = (command: readonly string[], machine: string, sizeMiB = 32768) =>
  stack.run(command, { "record:machine": machine, "record:sizeMiB": `${sizeMiB}` });

/** Tests in order on one state. */
describe("what a preview of a microvm tells", () => {
  it("is that a new guest will be made, and `up` keeps the record without having told more", () => {
    expect(run(["preview"], "4 processors").output).toContain("effect: vm-hermes will be built, started");
    const { status, output } = run(["up", "--yes"], "4 processors");
    expect(output).toMatch(/\+ .*guest-record.*created/);
    expect(status, output).toBe(0);
  });

  it("is nothing when nothing changes", () => {
    const { status, output } = run(["preview", "--expect-no-changes"], "4 processors");
    expect(output).not.toContain("effect:");
    expect(status, output).toBe(0);
  });

  it("is a rebuild with restart when a file changes, and only until that is deployed", () => {
    const { status, output } = run(["preview"], "6 processors");
    expect(output).toContain("effect: vm-hermes: a rebuild with restart, since machine.nix will change");
    expect(status).toBe(0);
    expect(run(["up", "--yes"], "6 processors").status).toBe(0);
    expect(run(["preview", "--expect-no-changes"], "6 processors").output).not.toContain("effect:");
  });

  it("is a refusal, with the reason and the way, when a disk gets another size", () => {
    const { status, output } = run(["preview"], "6 processors", 65536);
    expect(output).toContain("sizeMiB was 32768 and cannot become 65536: images are never resized");
    expect(output).toContain("grownFromMiB: 32768");
    expect(status).not.toBe(0);
  });
});
