import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScratchStack } from "../support/engine.ts";
import { cleared, shippedConfig, type Tree } from "../support/settings.ts";

let stack: ScratchStack;
beforeAll(async () => {
  stack = await ScratchStack.make();
});
afterAll(() => stack.remove());

describe("a preview of the program on the real engine", () => {
  it("of the shipped pve-sbx stack shows the guest", () => {
    const { status, output } = stack.run(["preview"], shippedConfig("pve-sbx"));
    expect(output).toMatch(/proxmoxve:index:VmLegacy\s+guest-vm\s+create/);
    expect(output).toMatch(/proxmoxve:index:VmLegacy\s+guest-data\s+create/);
    expect(output).toMatch(/command:remote:Command\s+guest-activate\s+create/);
    expect(status).toBe(0);
  });

  it("with the policy pack refuses the shipped pve-sbx stack: its placement gate is closed", () => {
    const { status, output } = stack.run(["preview", "--policy-pack", "policy"], shippedConfig("pve-sbx"));
    expect(output).toContain("phase 1 is blocked");
    expect(status).not.toBe(0);
  });

  it("with the policy pack lets a cleared stack through", () => {
    const { status, output } = stack.run(
      ["preview", "--policy-pack", "policy"],
      shippedConfig("pve-sbx", cleared),
    );
    expect(output).toMatch(/hermes@v\d/);
    expect(output).not.toContain("[mandatory]");
    expect(status).toBe(0);
  });

  it("with a bad configuration lists every problem and registers nothing", () => {
    const bad = shippedConfig("pve-sbx", (config) => {
      (config["hermes:guest"] as Tree)["vmId"] = 1;
      (config["hermes:container"] as Tree)["image"] = "docker.io/nousresearch/hermes-agent:latest";
      delete config["hermes:ssh"];
    });
    const { status, output } = stack.run(["up", "--yes"], bad);
    expect(output).toContain("has 3 problems; nothing was changed");
    for (const key of ["hermes:guest.vmId = 1", "hermes:container.image", "hermes:ssh"])
      expect(output).toContain(key);
    expect(output).not.toMatch(/at .*\.ts:\d+/);
    expect(status).not.toBe(0);
    expect(stack.resources()).toEqual([]);
  });

  it("of the chopper stack shows a file of the flake a line, the activation, and what it comes to", () => {
    const { status, output } = stack.run(["preview", "--policy-pack", "policy"], shippedConfig("chopper"));
    for (const name of ["tool", "machine.nix", "users.nix", "container.nix", "flake.nix", "activate"]) {
      expect(output).toMatch(new RegExp(`command:remote:Command\\s+guest-${name}\\s+create`));
    }
    expect(output).toContain("vm-hermes will be built, started, and waited for");
    expect(output).not.toContain("[mandatory]");
    expect(status, output).toBe(0);
  });

  it("never prints the deploy key or the API token", () => {
    const config = shippedConfig("pve-sbx", (tree) => {
      tree["hermes:ssh"] = { privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LXNlY3JldA\n" };
    });
    const { output } = stack.run(["preview", "--diff"], config);
    expect(output).toContain("guest-activate");
    expect(output).not.toContain("c2VjcmV0LXNlY3JldA");
    expect(output).not.toContain(config["proxmoxve:apiToken"]);
  });
});

describe("an `up` against a Proxmox API that does not answer", () => {
  it("names the address, says that it refused, and leaves no virtual machine in the state", () => {
    const config = shippedConfig("pve-sbx", (tree) => {
      // Port 1 of the loopback address: nobody listens there.
      tree["proxmoxve:endpoint"] = "https://127.0.0.1:1";
    });
    const { status, output } = stack.run(["up", "--yes", "--skip-preview"], config);
    expect(output).toMatch(/127\.0\.0\.1:1/);
    expect(output).toMatch(/ECONNREFUSED|refused/i);
    expect(status).not.toBe(0);
    expect(stack.resources().filter((urn) => urn.includes("VmLegacy"))).toEqual([]);
  });
});
