import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { typed } from "../argv.ts";
import { contentOf } from "../read.ts";

const read = (text: string, path = "/srv/x.json") => contentOf({ texts: [{ at: "text", path, text }] });
const commands = async (text: string, path?: string) => (await read(text, path)).commands.map(typed);
const image = "x.y/z:latest";
const config = (value: object) => commands(JSON.stringify(value));

describe("JSON says what the same data says as YAML", () => {
  it.each([
    ["a compose file", { services: { hermes: { image } } }],
    ["a pod", { kind: "Pod", spec: { containers: [{ image }] } }],
    ["a list of pods", { kind: "List", items: [{ kind: "Pod", spec: { containers: [{ image }] } }] }],
  ])("%s", async (_title, value) => {
    for (const path of ["/srv/x.json", "/srv/x.yaml", "/srv/x"]) {
      expect((await read(JSON.stringify(value), path)).launches).toMatchObject([{ verb: "run", image }]);
      expect((await read(JSON.stringify(value, null, 2), path)).launches).toMatchObject([{ image }]);
    }
  });

  it("a cloud-config", async () => {
    expect(await config({ runcmd: [["tailscale", "funnel", "443"]] })).toEqual(["tailscale funnel 443"]);
  });
});

describe("commands of a cloud-config beside runcmd", () => {
  it.each([
    ["power_state.condition, a text", { power_state: { mode: "reboot", condition: "tailscale funnel 443" } }],
    ["power_state.condition, a list", { power_state: { condition: ["tailscale", "funnel", "443"] } }],
    ["random_seed.command", { random_seed: { command: ["tailscale", "funnel", "443"] } }],
    [
      "the interfaces of wireguard",
      {
        wireguard: {
          interfaces: [
            { name: "wg0", content: "[Interface]\nAddress=10.0.0.1\nPostUp = tailscale funnel 443\n" },
          ],
        },
      },
    ],
  ])("%s", async (_title, value) => {
    expect(await config(value)).toEqual(["tailscale funnel 443"]);
  });

  it("a condition that is no command is none", async () => {
    expect(await config({ power_state: { mode: "reboot", condition: true } })).toEqual([]);
  });
});

describe("write_files", () => {
  const script = "#!/bin/sh\ntailscale funnel 443\n";
  const base64 = Buffer.from(script).toString("base64");
  it.each([
    ["with blanks around the encoding", { encoding: " b64", content: base64 }],
    ["with blanks in the encoding", { encoding: "text/plain + Base64 ", content: base64 }],
    ["from a data URL", { source: { uri: `data:text/plain;base64,${base64}` } }],
    ["from a data URL in percents", { source: { uri: `data:,${encodeURIComponent(script)}` } }],
  ])("%s", async (_title, file) => {
    expect(await config({ write_files: [{ path: "/opt/x", ...file }] })).toEqual(["tailscale funnel 443"]);
  });
});

it("what is too large to unpack is unread", async () => {
  const of = async (size: number) => {
    const content = gzipSync(`#!/bin/sh\ntailscale funnel 443\n#${" ".repeat(size)}`).toString("base64");
    const config = { write_files: [{ path: "/opt/x", encoding: "gz+b64", content }] };
    return (await read(JSON.stringify(config))).unread;
  };
  expect(await of(17 * 2 ** 20)).toEqual(["text › /opt/x"]);
  expect(await of(1)).toEqual([]);
});

it("a source that is a path is no content", async () => {
  expect(await config({ mounts: [], items: [{ path: "/opt/x.sh", source: "/usr/bin/x" }] })).toEqual([]);
});

describe("data without an end to its depth", () => {
  it.each([
    ["YAML", "/a.yaml", "[".repeat(5000)],
    ["broken JSON", "/a.json", "[".repeat(5000)],
    ["JSON", "/a.json", `${"[".repeat(500)}1${"]".repeat(500)}`],
  ])("is unread: %s", async (_title, path, text) => {
    expect((await read(text, path)).unread).toEqual(["text"]);
  });

  it("but a hundred levels less one are read", async () => {
    expect((await read(`${"[".repeat(99)}1${"]".repeat(99)}`)).unread).toEqual([]);
  });
});
