import { Lab } from "../test/lab/lab.ts";
import { benchCommand, benchCommandHere } from "./bench/command.ts";
import { benchLabStack } from "./bench/lab-stack.ts";
import { benchPolicyPack } from "./bench/policy-pack.ts";
import { main } from "./setup/main.ts";

/**
 * Measures the lab's stack and the command in its guest, when there is one, the command here, and what the policy pack
 * adds; fails when one is too much.
 */
await main(async () => {
  if (!Lab.exists("default")) {
    console.log(
      "There is no lab to measure (`npm start` makes one): the command here and the policy pack alone.",
    );
    const good = [benchCommandHere(), await benchPolicyPack()];
    return good.every(Boolean) ? 0 : 1;
  }
  await benchLabStack();
  const good = [benchCommandHere(), await benchCommand(), await benchPolicyPack()];
  return good.every(Boolean) ? 0 : 1;
});
