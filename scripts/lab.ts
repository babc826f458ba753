import { guestStatus } from "../test/lab/guest-status.ts";
import { Lab } from "../test/lab/lab.ts";
import { foreground } from "./setup/foreground.ts";
import { main } from "./setup/main.ts";

const USAGE = `Usage: npm run lab -- COMMAND
  status            what runs, and what Hermes says
  ssh [ARGUMENTS]   a shell in the guest; arguments go to ssh (-L …) or, after --, run there
  down              ends everything that the lab started and deletes its state, the guest's data included`;

await main(async () => {
  const [command, ...rest] = process.argv.slice(2);
  if (!["status", "ssh", "down"].includes(command ?? "")) {
    console.error(USAGE);
    return 2;
  }
  if (command === "down" ? !Lab.leftovers("default") : !Lab.exists("default")) {
    console.log("There is no lab. `npm start` makes one.");
    return command === "ssh" ? 1 : 0;
  }
  if (command === "down") {
    // Not through an open lab: what one without a record started must end too.
    for (const ended of await Lab.down("default")) console.log(`ended: ${ended}`);
    console.log("The lab is gone. What was downloaded and built stays in .cache for the next `npm start`.");
    return 0;
  }
  const lab = await Lab.open("default");
  if (command === "status") return status(lab);
  return shell(lab, rest);
});

async function status(lab: Lab): Promise<number> {
  const { api, image, ssh, registry } = lab.ports;
  console.log(
    `ports on 127.0.0.1   Proxmox API ${api}, images ${image}, guest's SSH ${ssh}, registry ${registry}`,
  );
  const machines = lab.machines();
  console.log(
    `virtual machines     ${machines.length === 0 ? "none runs" : `process ${machines.join(", ")}`}`,
  );
  try {
    const guest = await guestStatus(lab);
    console.log(
      `hermes.service       ${guest.state}\nimage                ${guest.image?.name}\ndashboard            ${guest.version}`,
    );
    return guest.version === null ? 1 : 0;
  } catch (error) {
    console.log(`Hermes               does not answer: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

async function shell(lab: Lab, rest: readonly string[]): Promise<number> {
  const stack = await lab.stack();
  const { hostKey, user } = stack.outputs();
  if (hostKey === undefined || user === undefined)
    throw new Error("nothing is deployed yet: run `npm start`");
  const separator = rest.indexOf("--");
  const options = separator < 0 ? rest : rest.slice(0, separator);
  const command = separator < 0 ? [] : rest.slice(separator + 1);
  const args = [...options, ...lab.sshArgs(hostKey, user), ...command];
  return foreground("ssh", args);
}
