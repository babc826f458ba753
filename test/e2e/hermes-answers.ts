import { setTimeout as sleep } from "node:timers/promises";
import { guestStatus } from "../lab/guest-status.ts";
import type { Lab } from "../lab/lab.ts";

/** Waits until Hermes 0.19.0 answers in the lab's guest. @throws Error with what was said last. */
export async function hermesAnswers(lab: Lab, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    let said: unknown;
    try {
      const status = await guestStatus(lab);
      if (status.version === "0.19.0") return;
      said = status;
    } catch (error) {
      said = String(error);
    }
    if (Date.now() > deadline)
      throw new Error(`Hermes did not answer within ${seconds} s: ${JSON.stringify(said)}`);
    await sleep(3000);
  }
}
