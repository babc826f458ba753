import { SshMachine } from "../../test/lab/chopper/ssh-machine.ts";
import { type Speed, scenarios } from "../../test/lab/command/scenarios.ts";
import { Lab } from "../../test/lab/lab.ts";
import { median } from "./time.ts";

/** What the command may take, in the guest of a lab, by what the runtime alone takes. */
const MOST = 1.1;

/** How long `hermes` takes in the lab's guest beside `podman exec` of the same program. @returns whether that is fine. */
export async function benchCommand(): Promise<boolean> {
  const lab = await Lab.open("default");
  const { hostKey = "", user = "", address = "" } = (await lab.stack()).outputs();
  const guest = new SshMachine(lab.sshArgs({ hostKey, user, address }));
  const { speed } = await scenarios<{ readonly speed: Speed }>(guest, user, ["speed"]);
  const [raw, command] = [median(speed.raw.toSorted(byNumber)), median(speed.command.toSorted(byNumber))];
  const ratio = command / raw;
  const found = `podman exec ${raw.toFixed(2)} s, hermes ${command.toFixed(2)} s: ${ratio.toFixed(2)} times`;
  console.log(`The command hermes in the guest. Medians: ${found} (at most ${MOST})`);
  return ratio <= MOST;
}

const byNumber = (one: number, other: number): number => one - other;
