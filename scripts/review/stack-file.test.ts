import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { loadSettings } from "../../components/config/load.ts";
import { shippedConfig, type Tree } from "../../test/support/settings.ts";
import { NOBODYS_KEY, reviewFile, SECRETS } from "./stack-file.ts";

const source = (stack: string) => readFileSync(`Pulumi.${stack}.yaml`, "utf8");
const SECURE = { secure: "v1:AAAA:BBBB" };

/** The shipped pve-sbx stack, changed. */
function changed(change: (config: Tree) => void): string {
  const tree = parse(source("pve-sbx")) as { config: Tree };
  change(tree.config);
  return stringify(tree);
}

describe("a stack file for a review", () => {
  it("of chopper gets the two values that are its owner's", () => {
    const { text, placeholders } = reviewFile(source("chopper"), "f");
    expect(text).toBe(source("chopper"));
    expect(placeholders.map(({ path, secret, found }) => [path, secret, found])).toEqual([
      ["hermes:ssh.privateKey", true, "not set"],
      ["hermes:ssh.hostKey", false, "not set"],
    ]);
  });

  it("of pve-sbx gets the three values that are its owner's", () => {
    const { text, placeholders } = reviewFile(source("pve-sbx"), "f");
    expect(text).toBe(source("pve-sbx"));
    expect(placeholders.map(({ path, secret, found }) => [path, secret, found])).toEqual([
      ["hermes:admin.authorizedKeys[0]", false, "not set"],
      ["hermes:ssh.privateKey", true, "not set"],
      ["proxmoxve:apiToken", true, "not set"],
    ]);
  });

  it("gets placeholders for what was encrypted, and keeps nothing of the encryption", () => {
    const file = changed((config) => {
      config["hermes:ssh"] = { privateKey: SECURE, port: 2222 };
      config["proxmoxve:apiToken"] = SECURE;
    });
    const salted = `encryptionsalt: v1:salt\n${file}secretsprovider: awskms://key # of the owner\nencryptedkey: abc\n`;
    const { text, placeholders } = reviewFile(salted, "f");
    expect(text.trim()).toBe(file.trim());
    expect(placeholders.filter(({ found }) => found === "encrypted").map(({ path }) => path)).toEqual([
      "hermes:ssh.privateKey",
      "proxmoxve:apiToken",
    ]);
  });

  it("gets none for a value that stands there in plain: the program refuses it", () => {
    const file = changed((config) => {
      config["hermes:ssh"] = { privateKey: "plain" };
      config["proxmoxve:apiToken"] = "plain";
    });
    expect(reviewFile(file, "f").placeholders.map(({ path }) => path)).toEqual([
      "hermes:admin.authorizedKeys[0]",
    ]);
  });

  it.each<[string, (config: Tree) => void]>([
    [
      "hermes:container.image",
      (config) => Object.assign(config["hermes:container"] as Tree, { image: SECURE }),
    ],
    ["hermes:guest", (config) => Object.assign(config, { "hermes:guest": SECURE })],
    ["hermes:ssh", (config) => Object.assign(config, { "hermes:ssh": SECURE })],
    ["hermes:ssh.host", (config) => Object.assign(config, { "hermes:ssh": { host: SECURE } })],
    [
      "hermes:admin.authorizedKeys[0]",
      (config) => Object.assign(config["hermes:admin"] as Tree, { authorizedKeys: [SECURE] }),
    ],
    ["proxmoxve:endpoint", (config) => Object.assign(config, { "proxmoxve:endpoint": SECURE })],
  ])("is refused when %s is encrypted", (path, change) => {
    expect(() => reviewFile(changed(change), "Pulumi.x.yaml")).toThrow(`Pulumi.x.yaml: ${path} is encrypted`);
  });

  it("sees an encrypted value through an alias and a merge", () => {
    const alias = "x: &x {secure: v1:a}\nconfig:\n  hermes:guest: *x\n";
    const merge = "x: &x {image: {secure: v1:a}}\nconfig:\n  hermes:container:\n    <<: *x\n";
    expect(() => reviewFile(alias, "f")).toThrow("hermes:guest is encrypted");
    expect(() => reviewFile(merge, "f")).toThrow("hermes:container.image is encrypted");
  });

  it.each(["a: [", "a: 1\na: 2"])("that is no YAML is refused: %j", (text) => {
    expect(() => reviewFile(text, "Pulumi.x.yaml")).toThrow("Pulumi.x.yaml is no YAML that can be read");
  });

  it.each(["", "config:", "config: text", "- a", "config: {hermes:admin: 1, hermes:guest: [1]}"])(
    "of a strange form gets nothing: %j",
    (text) => {
      expect(reviewFile(text, "f")).toEqual({ text, placeholders: [] });
    },
  );
});

describe("the placeholders", () => {
  it("have the form that the program wants", () => {
    const config = shippedConfig("pve-sbx", (tree) => {
      (tree["hermes:admin"] as Tree)["authorizedKeys"] = [NOBODYS_KEY];
      tree["hermes:ssh"] = { privateKey: SECRETS["hermes:ssh.privateKey"] };
      tree["proxmoxve:apiToken"] = SECRETS["proxmoxve:apiToken"];
    });
    const secret = JSON.stringify(["hermes:ssh", "proxmoxve:apiToken"]);
    expect(() => loadSettings(config, { PULUMI_CONFIG_SECRET_KEYS: secret })).not.toThrow();
  });

  it("open nothing", () => {
    const blob = Buffer.from(NOBODYS_KEY.split(" ")[1] ?? "", "base64");
    expect(blob.readUInt32BE(0)).toBe(0);
    expect(SECRETS["proxmoxve:apiToken"]).not.toMatch(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i);
    expect(SECRETS["hermes:ssh.privateKey"]).not.toMatch(
      /(OPENSSH|RSA|EC|DSA|ENCRYPTED|-----BEGIN) PRIVATE KEY/,
    );
  });
});
