import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../../scripts/setup/paths.ts";
import { chopperOverrides, overriddenStackFile, pveOverrides } from "./overrides.ts";

const lab = {
  "pve-sbx": pveOverrides({
    apiPort: 1,
    sshPort: 2,
    cloudImage: { url: "http://127.0.0.1:3/i", sha512: "0" },
    publicKey: "ssh-ed25519 LAB",
  }),
  chopper: chopperOverrides({ sshPort: 2, hostKey: "ssh-ed25519 HOST", publicKey: "ssh-ed25519 LAB" }),
};

/** Paths of what is another in the lab's file than in the shipped one, and what stands there now. */
function differences(stack: keyof typeof lab): { [path: string]: unknown } {
  const shipped = join(ROOT, `Pulumi.${stack}.yaml`);
  const found: { [path: string]: unknown } = {};
  const compare = (before: unknown, after: unknown, path: string): void => {
    if (isTree(before) && isTree(after)) {
      const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
      for (const key of keys) compare(before[key], after[key], path === "" ? key : `${path}.${key}`);
    } else if (JSON.stringify(before) !== JSON.stringify(after)) found[path] = after;
  };
  compare(
    parse(readFileSync(shipped, "utf8")).config,
    parse(overriddenStackFile(shipped, lab[stack])).config,
    "",
  );
  return found;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

test("chopper is deployed as it is shipped, but for how its host is reached and one key more", () => {
  const { config } = parse(readFileSync(join(ROOT, "Pulumi.chopper.yaml"), "utf8"));
  const owners = config["hermes:admin"].authorizedKeys;
  expect(owners).toHaveLength(2);
  expect(differences("chopper")).toEqual({
    "hermes:ssh.host": "127.0.0.1",
    "hermes:ssh.port": 2,
    "hermes:ssh.hostKey": "ssh-ed25519 HOST",
    "hermes:admin.authorizedKeys": [...owners, "ssh-ed25519 LAB"],
  });
});

test("pve-sbx is deployed as it is shipped, but for endpoints, the image, the key and the gate", () => {
  expect(Object.keys(differences("pve-sbx")).sort()).toEqual([
    "hermes:admin.authorizedKeys",
    "hermes:guest.cloudImage.sha512",
    "hermes:guest.cloudImage.url",
    "hermes:guest.placement.cleared",
    "hermes:guest.placement.clearedBy",
    "hermes:guest.placement.clearedOn",
    "hermes:guest.placement.evidence",
    "hermes:guest.placement.phases.1",
    "hermes:guest.placement.phases.3",
    "hermes:guest.placement.phases.4",
    "hermes:ssh",
    "proxmoxve:endpoint",
    "proxmoxve:insecure",
  ]);
});

test("what people wrote beside the values stays", () => {
  const shipped = join(ROOT, "Pulumi.chopper.yaml");
  const [comment = ""] = readFileSync(shipped, "utf8").split("\n").slice(1);
  expect(comment).toMatch(/^# /);
  expect(overriddenStackFile(shipped, lab.chopper)).toContain(comment);
});
