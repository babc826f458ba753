import { chooseStack, isStack, startCommand } from "../test/lab/choice.ts";
import { guestStatus } from "../test/lab/guest-status.ts";
import { DEFAULT_LABS, Lab } from "../test/lab/lab.ts";
import { STACKS, type StackName } from "../test/lab/record.ts";
import { foreground } from "./setup/foreground.ts";
import { main } from "./setup/main.ts";

const USAGE = `Usage: npm run lab -- COMMAND
  status [STACK]            what runs, and what Hermes says
  ssh [STACK] [ARGUMENTS]   a shell in the guest; arguments go to ssh (-L …) or, after --, run there
  down [STACK]              ends everything that the lab started and deletes its state, the guest's data included
STACK is ${STACKS.join(" or ")}. Without it status and down are for every lab that there is, and ssh is for the only one
or, when there are both, for that of ${STACKS[0]}.`;

await main(async () => {
  const [command = "", ...rest] = process.argv.slice(2);
  const named = isStack(rest[0]);
  const words = named ? rest.length - 1 : rest.length;
  if (!["status", "ssh", "down"].includes(command) || (command !== "ssh" && words > 0)) {
    console.error(USAGE);
    return 2;
  }
  const there = STACKS.filter((stack) =>
    // Not only those with a record: what a lab without one started must end too.
    command === "down" ? Lab.leftovers(DEFAULT_LABS[stack]) : Lab.exists(DEFAULT_LABS[stack]),
  );
  const choice = chooseStack(rest, there);
  const meant = command === "ssh" || named ? [choice.stack] : there;
  const stacks = meant.filter((stack) => there.includes(stack));
  if (stacks.length === 0) {
    console.log(
      named
        ? `There is no lab of ${choice.stack}. \`${startCommand(choice.stack)}\` makes one.`
        : `There is no lab. ${STACKS.map((stack) => `\`${startCommand(stack)}\``).join(" and ")} make one each.`,
    );
    return command === "ssh" ? 1 : 0;
  }
  if (command === "ssh") return shell(await openLab(choice.stack), choice.rest);
  return command === "down" ? down(stacks) : status(stacks);
});

function openLab(stack: StackName): Promise<Lab> {
  return Lab.open(DEFAULT_LABS[stack], stack);
}

async function down(stacks: readonly StackName[]): Promise<number> {
  for (const stack of stacks) {
    for (const ended of await Lab.down(DEFAULT_LABS[stack])) console.log(`ended: ${ended}`);
    console.log(`The lab of ${stack} is gone.`);
  }
  console.log("What was downloaded and built stays in .cache for the next `npm start`.");
  return 0;
}

async function status(stacks: readonly StackName[]): Promise<number> {
  const statuses: number[] = [];
  for (const stack of stacks) {
    if (statuses.length > 0) console.log();
    statuses.push(await oneStatus(await openLab(stack)));
  }
  return Math.max(...statuses);
}

async function oneStatus(lab: Lab): Promise<number> {
  const line = (title: string, text: string): void => console.log(`${title.padEnd(20)} ${text}`);
  const ports: ReadonlyMap<string, number> = new Map(Object.entries(lab.ports));
  const titles = Object.entries(lab.site.portTitles);
  const machines = lab.machines();
  line("stack", lab.stackName);
  line("ports on 127.0.0.1", titles.map(([service, title]) => `${title} ${ports.get(service)}`).join(", "));
  line("virtual machines", machines.length === 0 ? "none runs" : `process ${machines.join(", ")}`);
  try {
    const guest = await guestStatus(lab);
    line(lab.site.unit, guest.state);
    line("image", guest.image?.name ?? "none");
    line("dashboard", guest.version ?? "does not answer");
    return guest.version === null ? 1 : 0;
  } catch (error) {
    line("Hermes", `does not answer: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

async function shell(lab: Lab, rest: readonly string[]): Promise<number> {
  const stack = await lab.stack();
  const { hostKey, user, address } = stack.outputs();
  if (hostKey === undefined || user === undefined || address === undefined)
    throw new Error(`nothing is deployed yet: run \`${startCommand(lab.stackName)}\``);
  const separator = rest.indexOf("--");
  const options = separator < 0 ? rest : rest.slice(0, separator);
  const command = separator < 0 ? [] : rest.slice(separator + 1);
  return foreground("ssh", [...options, ...lab.sshArgs({ hostKey, user, address }), ...command]);
}
