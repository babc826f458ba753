import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/setup/paths.ts";
import { ScratchStack } from "../support/engine.ts";

let stack: ScratchStack;
beforeAll(async () => {
  stack = await ScratchStack.make(`${ROOT}/test/engine/gates-program`);
});
afterAll(() => stack.remove());

const NAME = "docker.io/nousresearch/hermes-agent";
const up = (type: string, args: object) =>
  stack.run(["up", "--yes", "--skip-preview", "--policy-pack", `${ROOT}/policy`], {
    "test:component": JSON.stringify({ type, args }),
  });

describe("the policy pack on somebody else's program, without a preview", () => {
  it("refuses a HermesContainer whose tag moves, before it is registered", () => {
    const { status, output } = up("hermes:index:HermesContainer", { image: `${NAME}:latest` });
    expect(output).toContain('has the tag "latest", which can move');
    expect(status).not.toBe(0);
    expect(stack.resources()).toEqual([]);
  });

  it("refuses a Proxmox guest without a cleared placement gate", () => {
    const { status, output } = up("hermes:index:HermesGuest", { kind: "proxmox" });
    expect(output).toContain("it is not configured");
    expect(status).not.toBe(0);
    expect(stack.resources()).toEqual([]);
  });

  it("lets a pinned HermesContainer through", () => {
    expect(up("hermes:index:HermesContainer", { image: `${NAME}:v2026.7.20` }).status).toBe(0);
    expect(stack.resources()).toHaveLength(1);
  });
});
