import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloudConfig, isCloudConfig, userDataTexts } from "./cloud-init.ts";
import { fromPlain } from "./payload.ts";

const split = (text: string) => userDataTexts({ text, at: "user-data" });

describe("cloudConfig", () => {
  it("takes a list for a command and a text for shell", () => {
    const tree = fromPlain({ runcmd: [["tailscale", "funnel", 443], "tailscale up"], bootcmd: ["id"] });
    expect(cloudConfig(tree, "x")).toEqual({
      commands: [{ at: "x › runcmd[0]", words: ["tailscale", "funnel", "443"], environment: {} }],
      texts: [
        { at: "x › runcmd[1]", text: "tailscale up", format: "shell" },
        { at: "x › bootcmd[0]", text: "id", format: "shell" },
      ],
      fileSystems: [],
    });
  });

  it("shows an assignment to the entries after it, since all make one script", () => {
    const tree = fromPlain({ runcmd: ["A=funnel", "tailscale $A 443"] });
    expect(cloudConfig(tree, "x").texts?.[1]?.text).toBe("A=funnel\ntailscale $A 443");
  });

  it("reads mounts in the order of fstab's fields", () => {
    const tree = fromPlain({
      mounts: [
        ["LABEL=hermes", "/var/lib/hermes", "ext4", "defaults"],
        ["/dev/vdb", "/x", "auto"],
      ],
    });
    expect(cloudConfig(tree, "x").fileSystems).toEqual([
      { at: "x › mounts[0]", device: "LABEL=hermes", mountPoint: "/var/lib/hermes", type: "ext4" },
      { at: "x › mounts[1]", device: "/dev/vdb", mountPoint: "/x" },
    ]);
  });

  it("reads the installer's commands and the user data inside", () => {
    const tree = fromPlain({ autoinstall: { "late-commands": ["id"], "user-data": { runcmd: ["who"] } } });
    expect(cloudConfig(tree, "x").texts?.map(({ at, text }) => [at, text])).toEqual([
      ["x › autoinstall.late-commands[0]", "id"],
      ["x › autoinstall.user-data › runcmd[0]", "who"],
    ]);
  });
});

describe("isCloudConfig", () => {
  it("knows it by the first line or by its keys", () => {
    expect(isCloudConfig("#cloud-config\n", fromPlain({}))).toBe(true);
    expect(isCloudConfig("## template: jinja\n#cloud-config\n", fromPlain({}))).toBe(true);
    expect(isCloudConfig("", fromPlain({ runcmd: [] }))).toBe(true);
    expect(isCloudConfig("", fromPlain({ users: 3, services: {} }))).toBe(false);
  });
});

describe("userDataTexts", () => {
  it("takes a message apart, whatever the encoding of its parts", () => {
    const script = Buffer.from("#!/bin/sh\ntailscale funnel 443\n").toString("base64");
    const message = [
      'Content-Type: multipart/mixed;\r\n boundary="==b=="',
      "MIME-Version: 1.0",
      "",
      "a preamble that nobody reads",
      "--==b==",
      'Content-Type: text/cloud-config; charset="utf-8"',
      "",
      "runcmd: [id]",
      "--==b==",
      "Content-Type: text/x-shellscript",
      "Content-Transfer-Encoding: base64",
      'Content-Disposition: attachment; filename="up.sh"',
      "",
      script,
      "--==b==",
      "Content-Type: text/plain",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "#cloud-config=0Aa: tail=",
      "scale",
      "--==b==--",
    ].join("\r\n");
    expect(split(message)).toEqual([
      { at: "user-data › part 1", text: "runcmd: [id]", format: "yaml" },
      { at: "user-data › part 2 (up.sh)", text: "#!/bin/sh\ntailscale funnel 443\n" },
      { at: "user-data › part 3", text: "#cloud-config\na: tailscale", format: "yaml" },
    ]);
  });

  it.each([
    ["#!/bin/sh\nid", [{ text: "#!/bin/sh\nid" }]],
    ["#cloud-config\na: 1", [{ text: "#cloud-config\na: 1", format: "yaml" }]],
    ["## template: jinja\n#cloud-config\na: 1", [{ text: "#cloud-config\na: 1", format: "yaml" }]],
    ["#cloud-boothook\nid", [{ text: "id", format: "shell" }]],
    ["#cloud-boothook\n#!/bin/sh\nid", [{ text: "#!/bin/sh\nid" }]],
    ["#include\nhttps://example.com/x", [{ format: "prose" }]],
    ["#include-once\nhttps://example.com/x", [{ format: "prose" }]],
    ["#part-handler\nimport os", [{ text: "import os", format: "script" }]],
  ])("reads %j by its first line", (text, expected) => {
    expect(split(text)).toMatchObject(expected);
  });

  it("never throws, and ends", () => {
    split("## template: jinja\n".repeat(20_000));
    const piece = fc.constantFrom(
      "MIME-Version: 1.0\n",
      "Content-Type: multipart/mixed; boundary=b\n",
      "--b\n",
      "--b--\n",
      "\n",
      "## template: jinja\n",
      "#cloud-boothook\n",
      "x",
      "Content-Type: text/jinja2\n",
      "=",
    );
    fc.assert(fc.property(fc.array(piece), (pieces) => void split(pieces.join(""))));
  });
});
