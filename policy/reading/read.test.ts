import { describe, expect, it } from "vitest";
import { typed } from "./argv.ts";
import { contentOf } from "./read.ts";
import { seedOf } from "./sources.ts";

const read = async (type: string, props: Record<string, unknown>) =>
  contentOf(await seedOf({ type, props: props as never }));
const command = (create: string, stdin?: string) => read("command:remote:Command", { create, stdin });
const commands = async (create: string, stdin?: string) => (await command(create, stdin)).commands.map(typed);

describe("what a command's stdin is", () => {
  it.each([
    ["sh", "podman pull x.y/z:v1.2.3"],
    ["sudo -n bash -s", "podman pull x.y/z:v1.2.3"],
    ["ssh guest", "podman pull x.y/z:v1.2.3"],
    ["sudo python3 -", 'import subprocess\nsubprocess.run(["podman", "pull", "x.y/z:v1.2.3"])\n'],
    ["tee /usr/local/bin/pull", "podman pull x.y/z:v1.2.3"],
    ["cat > /etc/cron.d/pull", "5 4 * * * root podman pull x.y/z:v1.2.3"],
    [
      "sudo install -m 0644 /dev/stdin /etc/systemd/system/a.service",
      "[Service]\nExecStart=podman pull x.y/z:v1.2.3\n",
    ],
    [
      "sudo -n hermes-guest stage container",
      JSON.stringify({ files: [{ path: "/root/a.sh", content: "podman pull x.y/z:v1.2.3" }] }),
    ],
    ["tool", "#!/bin/sh\npodman pull x.y/z:v1.2.3"],
    ["tool", "#cloud-config\nruncmd:\n  - [podman, pull, 'x.y/z:v1.2.3']\n"],
  ])("is told for %j", async (create, stdin) => {
    expect((await command(create, stdin)).launches).toContainEqual(
      expect.objectContaining({ verb: "pull", image: "x.y/z:v1.2.3" }),
    );
  });

  it.each([
    ["cat > /etc/motd", "podman pull x.y/z:v1.2.3"],
    ["tee /etc/motd >/dev/null", "podman pull x.y/z:v1.2.3"],
    ["bash script.sh", "podman pull x.y/z:v1.2.3"],
    ["tool", "Do not run podman pull x.y/z:v1.2.3 by hand."],
  ])("is prose for %j", async (create, stdin) => {
    expect((await command(create, stdin)).launches).toEqual([]);
  });
});

describe("contentOf", () => {
  it("reads a shell in a unit in a JSON payload in a command", async () => {
    const unit = "[Service]\nExecStart=/bin/sh -c 'exec tailscale status'\n";
    const payload = JSON.stringify({ files: [{ path: "/etc/systemd/system/a.service", content: unit }] });
    expect(await commands("tool", payload)).toContain("tailscale status");
  });

  it("reads the program that a container's entry point is given", async () => {
    expect(await commands("podman run x.y/z:v1.2.3 sh -c 'tailscale status'")).toContain("tailscale status");
    const { commands: found } = await read("hermes:index:HermesContainer", {
      command: ["tailscale", "status"],
    });
    expect(found.map(typed)).toEqual(["tailscale status"]);
  });

  it("looks behind a variable that may be a wrapper or empty", async () => {
    expect(await commands('$SUDO tailscale "$1"')).toContain("tailscale …");
  });

  it("reads what another program does with the interpreter that a local command names", async () => {
    const { commands: found } = await read("command:local:Command", {
      create: 'import subprocess\nsubprocess.run(["tailscale", "status"])\n',
      interpreter: ["python3", "-c"],
    });
    expect(found.map(typed)).toContain("tailscale status");
  });

  it("reads texts in texts down to a limit", async () => {
    const nested = Array.from({ length: 15 }).reduce<string>(
      (text) => JSON.stringify({ path: "/a.json", content: text }),
      "{}",
    );
    // The command itself is the thirteenth.
    expect((await command("tool", nested)).texts).toHaveLength(13);
  });

  it("keeps the deploy key and the connection out of what the guest gets", async () => {
    const { texts } = await read("hermes:index:HermesGuest", { ssh: { privateKey: "-----BEGIN\nX" } });
    expect(texts).toEqual([]);
  });
});
