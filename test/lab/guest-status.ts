import { GUEST, type Lab } from "./lab.ts";

/** What the guest says of itself, read through its agent and the Proxmox API: no SSH connection is opened. */
export interface GuestStatus {
  /** State of hermes.service, as systemd names it. */
  readonly state: string;
  /** Version that the dashboard gives at /api/status; null while it does not answer. */
  readonly version: string | null;
  readonly image: { readonly name: string; readonly id: string } | null;
}

const TOOL = "/usr/local/lib/hermes-guest/hermes-guest";

export async function guestStatus(lab: Lab): Promise<GuestStatus> {
  const { code, out, err } = await lab.api.exec(GUEST, [TOOL, "status"]);
  if (code !== 0)
    throw new Error(`\`${TOOL} status\` failed in the guest (exit status ${code}): ${err.trim()}`);
  return JSON.parse(out) as GuestStatus;
}
