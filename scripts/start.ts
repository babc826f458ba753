import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { waitForHermes } from "../test/lab/guest-status.ts";
import { Lab, STACK, type Stack } from "../test/lab/lab.ts";
import { prepare } from "../test/lab/prepare.ts";
import { foreground } from "./setup/foreground.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";
import { staleLocks } from "./setup/stale-lock.ts";

/** From a fresh clone to a Hermes that answers in the lab; called again, to the same with no changes. */
await main(async () => {
  const stackName = process.argv[2] ?? "pve-sbx";
  if (stackName !== "pve-sbx") {
    const known = stackName === "chopper" ? "exists, and the lab has no NixOS host for it yet" : "is unknown";
    throw new Error(
      `the stack ${JSON.stringify(stackName)} ${known}; the lab deploys pve-sbx: \`npm start\``,
    );
  }
  const { engine, plugins } = await prepare();
  const lab = await Lab.open("default");
  await lab.up();
  const stack = await lab.stack();
  const kind = plugins === "stand-in" ? "stand-ins of this project (test/lab/plugins)" : "the real ones";
  console.log(`Engine: Pulumi ${engine.version} (${engine.source}). Provider plugins: ${kind}.`);
  unlock(lab, stack);
  const up = ["up", "--yes", "--policy-pack", "policy", ...stack.selection];
  const status = await foreground(stack.pulumi, up, { cwd: ROOT, env: stack.env });
  if (status !== 0) {
    console.error("\nThe deploy failed; its reason stands above. Run `npm start` again to go on from here.");
    return status;
  }
  const { hostname, address, tunnel } = stack.outputs();
  const { version, image, state } = await waitForHermes(lab);
  console.log(`
Hermes runs.
  guest       ${hostname}, ${address}, a virtual machine in the lab on this machine
  container   hermes (unit hermes.service is ${state})
  image       ${image?.name}
  dashboard   version ${version}, read from /api/status in the guest
  shell       npm run lab -- ssh
  dashboard   npm run lab -- ssh -L 9119:127.0.0.1:9119, then http://127.0.0.1:9119
  stop        npm run lab -- down
On a network of your own the tunnel is: ${tunnel}`);
  return 0;
});

/** An engine that was killed leaves the stack locked, and every later `up` would refuse to start. */
function unlock(lab: Lab, stack: Stack): void {
  const left = staleLocks(join(lab.folder, "state"), STACK);
  if (left.length === 0) return;
  const cancel = ["cancel", "--yes", "--non-interactive", "--stack", STACK];
  execFileSync(stack.pulumi, cancel, { cwd: ROOT, env: stack.env, stdio: ["ignore", "ignore", "inherit"] });
  console.log(
    `An earlier deploy (process ${left.join(", ")}) was killed: its lock on the stack is removed (\`pulumi cancel\`).`,
  );
}
