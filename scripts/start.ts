import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { isStack, startCommand } from "../test/lab/choice.ts";
import { waitForHermes } from "../test/lab/guest-status.ts";
import { DEFAULT_LABS, Lab, STACK, type Stack } from "../test/lab/lab.ts";
import { prepare } from "../test/lab/prepare.ts";
import { STACKS } from "../test/lab/record.ts";
import { foreground } from "./setup/foreground.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";
import { staleLocks } from "./setup/stale-lock.ts";

/** From a fresh clone to a Hermes that answers in the lab; called again, to the same with no changes. */
await main(async () => {
  const [name = STACK, ...more] = process.argv.slice(2);
  if (!isStack(name) || more.length > 0) {
    const given = JSON.stringify([name, ...more].join(" "));
    const known = STACKS.map((stack) => `\`${startCommand(stack)}\``).join(" or ");
    throw new Error(`the stack ${given} is unknown; the lab deploys one of ${STACKS.join(", ")}: ${known}`);
  }
  const { engine, plugins } = await prepare(name);
  const lab = await Lab.open(DEFAULT_LABS[name], name);
  await lab.up();
  const stack = await lab.stack();
  const kind = plugins === "stand-in" ? "stand-ins of this project (test/lab/plugins)" : "the real ones";
  console.log(`Engine: Pulumi ${engine.version} (${engine.source}). Provider plugins: ${kind}.`);
  unlock(lab, stack);
  const up = ["up", "--yes", "--policy-pack", "policy", ...stack.selection];
  const status = await foreground(stack.pulumi, up, { cwd: ROOT, env: stack.env });
  if (status !== 0) {
    console.error(
      `\nThe deploy failed; its reason stands above. Run \`${startCommand(name)}\` again to go on from here.`,
    );
    return status;
  }
  const { hostname, address, tunnel } = stack.outputs();
  const { version, image, state } = await waitForHermes(lab);
  const ssh = name === STACK ? "npm run lab -- ssh" : `npm run lab -- ssh ${name}`;
  console.log(`
Hermes runs.
  guest       ${hostname}, ${address}, ${lab.site.guest}
  unit        ${lab.site.unit} is ${state}
  image       ${image?.name}
  dashboard   version ${version}, read from /api/status in the guest
  shell       ${ssh}
  dashboard   ${ssh} -L 9119:127.0.0.1:9119, then http://127.0.0.1:9119
  stop        npm run lab -- down ${name}
On a network of your own the tunnel is: ${tunnel}`);
  return 0;
});

/** An engine that was killed leaves the stack locked, and every later `up` would refuse to start. */
function unlock(lab: Lab, stack: Stack): void {
  const left = staleLocks(join(lab.folder, "state"), stack.name);
  if (left.length === 0) return;
  const cancel = ["cancel", "--yes", "--non-interactive", "--stack", stack.name];
  execFileSync(stack.pulumi, cancel, { cwd: ROOT, env: stack.env, stdio: ["ignore", "ignore", "inherit"] });
  console.log(
    `An earlier deploy (process ${left.join(", ")}) was killed: its lock on the stack is removed (\`pulumi cancel\`).`,
  );
}
