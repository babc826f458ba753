import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";

/** What the lab puts in the place of values in a shipped stack file. Everything else is deployed as it is shipped. */
export interface Overrides {
  /** Port of the lab's Proxmox API on 127.0.0.1. */
  readonly apiPort: number;
  /** Port on 127.0.0.1 that leads to the guest's SSH. */
  readonly sshPort: number;
  /** The lab's own build of Debian's cloud image. */
  readonly cloudImage: { readonly url: string; readonly sha512: string };
  /** Public half of the lab's deploy key. */
  readonly publicKey: string;
}

/** The complete list of differences between a shipped stack file and the one that the lab deploys. */
export function overriddenKeys(
  lab: Overrides,
): ReadonlyArray<readonly [path: readonly string[], value: unknown]> {
  return [
    [["proxmoxve:endpoint"], `https://127.0.0.1:${lab.apiPort}`],
    [["proxmoxve:insecure"], "true"],
    [["hermes:ssh", "host"], "127.0.0.1"],
    [["hermes:ssh", "port"], lab.sshPort],
    [["hermes:admin", "authorizedKeys"], [lab.publicKey]],
    [["hermes:guest", "cloudImage", "url"], lab.cloudImage.url],
    [["hermes:guest", "cloudImage", "sha512"], lab.cloudImage.sha512],
    [["hermes:guest", "placement", "cleared"], true],
    [["hermes:guest", "placement", "clearedOn"], "2026-01-01"],
    [["hermes:guest", "placement", "clearedBy"], "the lab, which holds nothing irreplaceable"],
    [["hermes:guest", "placement", "evidence"], "test/lab/overrides.ts"],
    [
      ["hermes:guest", "placement", "phases"],
      { "0": "passed", "1": "passed", "2": "passed", "3": "passed", "4": "passed" },
    ],
  ];
}

/** Text of the lab's stack file: the shipped one with the overrides, its comments kept. */
export function overriddenStackFile(shipped: string, lab: Overrides): string {
  const document = parseDocument(readFileSync(shipped, "utf8"));
  for (const [path, value] of overriddenKeys(lab)) document.setIn(["config", ...path], value);
  return `# The shipped stack file with the lab's overrides (test/lab/overrides.ts). Made anew by the lab.\n${document.toString()}`;
}
