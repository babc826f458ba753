import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";

/** What the lab puts in the place of a value in a shipped stack file, or adds to a list there. */
export type Override =
  | { readonly path: readonly string[]; readonly value: unknown }
  | { readonly path: readonly string[]; readonly added: unknown };

export interface PveOverrides {
  /** Port of the lab's Proxmox API on 127.0.0.1. */
  readonly apiPort: number;
  /** Port on 127.0.0.1 that leads to the guest's SSH. */
  readonly sshPort: number;
  /** The lab's own build of Debian's cloud image. */
  readonly cloudImage: { readonly url: string; readonly sha512: string };
  /** Public half of the lab's deploy key. */
  readonly publicKey: string;
}

/** The complete list of differences between the shipped Pulumi.pve-sbx.yaml and what the lab deploys. */
export const pveOverrides = (lab: PveOverrides): readonly Override[] => [
  { path: ["proxmoxve:endpoint"], value: `https://127.0.0.1:${lab.apiPort}` },
  { path: ["proxmoxve:insecure"], value: "true" },
  { path: ["hermes:ssh", "host"], value: "127.0.0.1" },
  { path: ["hermes:ssh", "port"], value: lab.sshPort },
  { path: ["hermes:admin", "authorizedKeys"], value: [lab.publicKey] },
  { path: ["hermes:guest", "cloudImage", "url"], value: lab.cloudImage.url },
  { path: ["hermes:guest", "cloudImage", "sha512"], value: lab.cloudImage.sha512 },
  { path: ["hermes:guest", "placement", "cleared"], value: true },
  { path: ["hermes:guest", "placement", "clearedOn"], value: "2026-01-01" },
  {
    path: ["hermes:guest", "placement", "clearedBy"],
    value: "the lab, which holds nothing irreplaceable",
  },
  { path: ["hermes:guest", "placement", "evidence"], value: "test/lab/overrides.ts" },
  {
    path: ["hermes:guest", "placement", "phases"],
    value: { "0": "passed", "1": "passed", "2": "passed", "3": "passed", "4": "passed" },
  },
];

export interface ChopperOverrides {
  /** Port on 127.0.0.1 that leads to chopper's SSH. */
  readonly sshPort: number;
  /** Host key of the lab's chopper, as `type base64`. */
  readonly hostKey: string;
  /** Public half of the lab's deploy key. */
  readonly publicKey: string;
}

/** The complete list of differences between the shipped Pulumi.chopper.yaml and what the lab deploys. */
export const chopperOverrides = (lab: ChopperOverrides): readonly Override[] => [
  { path: ["hermes:ssh", "host"], value: "127.0.0.1" },
  { path: ["hermes:ssh", "port"], value: lab.sshPort },
  { path: ["hermes:ssh", "hostKey"], value: lab.hostKey },
  // The owner's keys stay: `npm run lab -- ssh` needs one whose private half is here.
  { path: ["hermes:admin", "authorizedKeys"], added: lab.publicKey },
];

/**
 * Text of the lab's stack file: the shipped one with the overrides, its comments kept. Everything else is deployed as
 * it is shipped.
 */
export function overriddenStackFile(shipped: string, overrides: readonly Override[]): string {
  const document = parseDocument(readFileSync(shipped, "utf8"));
  for (const override of overrides) {
    const path = ["config", ...override.path];
    if ("added" in override) document.addIn(path, override.added);
    else document.setIn(path, override.value);
  }
  return `# The shipped stack file with the lab's overrides (test/lab/overrides.ts). Made anew by the lab.\n${document.toString()}`;
}
