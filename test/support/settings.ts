import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { loadSettings } from "../../components/config/load.ts";
import type { Settings } from "../../components/config/schema.ts";

export type Tree = { [key: string]: unknown };

/**
 * A shipped stack file as the engine hands it to a program, with stand-ins for the secrets that only its owner has.
 * @param change edits the configuration before it is turned to text.
 */
export function shippedConfig(
  stack: string,
  change: (config: Tree) => void = () => {},
): Record<string, string> {
  const { config } = parse(readFileSync(`Pulumi.${stack}.yaml`, "utf8")) as { config: Tree };
  const [guest, admin] = [config["hermes:guest"] as Tree, config["hermes:admin"] as Tree];
  if (guest["kind"] === "proxmox") {
    admin["authorizedKeys"] = [`ssh-ed25519 ${"A".repeat(68)} deploy`];
    config["hermes:ssh"] = { privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n" };
    config["proxmoxve:apiToken"] = "hermes@pve!deploy=0";
  }
  if (guest["kind"] === "microvm") {
    config["hermes:ssh"] = {
      ...(config["hermes:ssh"] as Tree),
      hostKey: `ssh-ed25519 ${"H".repeat(68)}`,
      privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n",
    };
  }
  change(config);
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

export function shippedSettings(stack: string): Settings {
  return loadSettings(shippedConfig(stack), {});
}

/** Clears the placement gate, as its owner would. */
export function cleared(config: Tree): void {
  (config["hermes:guest"] as Tree)["placement"] = {
    cleared: true,
    clearedOn: "2026-10-01",
    clearedBy: "the owner",
    evidence: "a test",
    phases: { "0": "passed", "1": "passed", "2": "passed", "3": "passed", "4": "passed" },
  };
}
