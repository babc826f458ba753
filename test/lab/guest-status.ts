import { setTimeout as sleep } from "node:timers/promises";
import { GUEST_TOOL } from "../../components/guest/tool.ts";
import { stepFunction } from "../../scripts/setup/progress.ts";
import { GUEST, type Lab } from "./lab.ts";

/** What the guest says of itself, read through its agent and the Proxmox API: no SSH connection is opened. */
export interface GuestStatus {
  /** State of hermes.service, as systemd names it. */
  readonly state: string;
  /** Version that the dashboard gives at /api/status; null while it does not answer. */
  readonly version: string | null;
  readonly image: { readonly name: string; readonly id: string } | null;
}

export async function guestStatus(lab: Lab): Promise<GuestStatus> {
  const { code, out, err } = await lab.api.exec(GUEST, [GUEST_TOOL, "status"]);
  if (code !== 0)
    throw new Error(`\`${GUEST_TOOL} status\` failed in the guest (exit status ${code}): ${err.trim()}`);
  return JSON.parse(out) as GuestStatus;
}

/**
 * Waits until Hermes answers: at once after a deploy, some minutes when the guest has to boot first.
 * A virtual machine that was powered off is started.
 */
export async function waitForHermes(lab: Lab, seconds = 600): Promise<GuestStatus & { version: string }> {
  const first = await answering(lab);
  if (first !== undefined) return first;
  const { status } = (await lab.api.call("GET", `${GUEST}/status/current`)) as { status: string };
  if (status === "stopped") await lab.api.call("POST", `${GUEST}/status/start`);
  return stepFunction("Hermes in the guest: waiting for it to answer", 120, async () => {
    for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline; await sleep(3000)) {
      const now = await answering(lab);
      if (now !== undefined) return now;
    }
    throw new Error(
      `Hermes did not answer within ${seconds} s. What the guest printed: ${lab.folder}/pve/vms/210/console.log. ` +
        "A shell in it: npm run lab -- ssh",
    );
  });
}

async function answering(lab: Lab): Promise<(GuestStatus & { version: string }) | undefined> {
  const status = await guestStatus(lab).catch(() => undefined);
  return typeof status?.version === "string" ? { ...status, version: status.version } : undefined;
}
