import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/setup/paths.ts";
import { ScratchStack } from "../support/engine.ts";

const PACK = join(ROOT, "policy");
const NAME = "docker.io/nousresearch/hermes-agent";
const DATA = [{ source: "/var/lib/hermes", target: "/opt/data", kind: "bind" }];
const GOOD = { image: `${NAME}:v2026.7.20`, network: "host", volumes: DATA };

let stack: ScratchStack;
beforeAll(async () => {
  stack = await ScratchStack.make(join(ROOT, "test/engine/component-program"));
});
afterAll(() => stack.remove());

const run = (args: readonly string[], component: object, pack = PACK) =>
  stack.run([...args, "--policy-pack", pack], { "test:component": JSON.stringify(component) });
const up = (type: string, args: object, late = {}) =>
  run(["up", "--yes", "--skip-preview"], { type, args, late });
const components = () => stack.resources().filter((urn) => urn.includes("hermes:index:"));

describe("the policy pack on somebody else's program", () => {
  it("refuses a HermesContainer whose tag moves at an `up` without a preview, before it is registered", () => {
    const { status, output } = up("hermes:index:HermesContainer", { ...GOOD, image: `${NAME}:latest` });
    expect(output).toContain('has the tag "latest", which can move');
    expect(status).not.toBe(0);
    expect(components()).toEqual([]);
  });

  it("refuses a Proxmox guest without a cleared placement gate at an `up` without a preview", () => {
    const { status, output } = up("hermes:index:HermesGuest", { kind: "proxmox" });
    expect(output).toContain("it is not configured");
    expect(status).not.toBe(0);
    expect(components()).toEqual([]);
  });

  it("judges a value that a preview does not know at the `up`, before the resource is registered", () => {
    const { image: _, ...known } = GOOD;
    const component = {
      type: "hermes:index:HermesContainer",
      args: known,
      late: { image: `${NAME}:latest` },
    };
    expect(run(["preview"], component).status).toBe(0);
    const { status, output } = run(["up", "--yes"], component);
    expect(output).toContain('has the tag "latest", which can move');
    expect(status).not.toBe(0);
    expect(components()).toEqual([]);
  });

  it("is as strict to what is known beside a value that is not", () => {
    const component = {
      type: "hermes:index:HermesContainer",
      args: { ...GOOD, image: `${NAME}:latest` },
      late: { network: "host" },
    };
    const { status, output } = run(["preview"], component);
    expect(output).toMatch(/\[mandatory\].*pinned-image/);
    expect(status).not.toBe(0);
  });

  it("lets a pinned HermesContainer through", () => {
    expect(up("hermes:index:HermesContainer", GOOD).status).toBe(0);
    expect(components()).toHaveLength(1);
  });

  it("works from a copy of its folder alone, with the packages that its package.json names", () => {
    const copy = mkdtempSync(join(tmpdir(), "hermes-pack-"));
    try {
      cpSync(PACK, copy, { recursive: true });
      symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
      const args = { ...GOOD, image: `${NAME}:latest`, command: ["sh", "-c", "tailscale funnel 443"] };
      const { status, output } = run(["preview"], { type: "hermes:index:HermesContainer", args }, copy);
      expect(output).toMatch(/\[mandatory\].*pinned-image/);
      expect(output).toMatch(/\[mandatory\].*no-funnel/);
      expect(status).not.toBe(0);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
