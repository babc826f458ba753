import { setTimeout as sleep } from "node:timers/promises";
import { stepFunction } from "../../scripts/setup/progress.ts";
import type { Lab } from "./lab.ts";

/** What the guest says of itself. */
export interface GuestStatus {
  /** State of the site's unit, as systemd names it. */
  readonly state: string;
  /** Version that the dashboard gives at /api/status; null while it does not answer. */
  readonly version: string | null;
  readonly image: { readonly name: string } | null;
}

/** Read without the guest's own SSH: through the Proxmox API, or from the NixOS host. */
export const guestStatus = (lab: Lab): Promise<GuestStatus> => lab.site.guestStatus();

/**
 * Waits until Hermes answers: at once after a deploy, some minutes when the guest has to boot first.
 * A virtual machine that was powered off is started.
 */
export async function waitForHermes(lab: Lab, seconds = 600): Promise<GuestStatus & { version: string }> {
  const first = await answering(lab);
  if (first !== undefined) return first;
  await lab.site.wake();
  return stepFunction("Hermes in the guest: waiting for it to answer", 120, async () => {
    for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline; await sleep(3000)) {
      const now = await answering(lab);
      if (now !== undefined) return now;
    }
    throw new Error(
      `Hermes did not answer within ${seconds} s. What the machine printed: ${lab.site.console}. ` +
        `A shell in the guest: npm run lab -- ssh ${lab.stackName}`,
    );
  });
}

async function answering(lab: Lab): Promise<(GuestStatus & { version: string }) | undefined> {
  const status = await guestStatus(lab).catch(() => undefined);
  return typeof status?.version === "string" ? { ...status, version: status.version } : undefined;
}
