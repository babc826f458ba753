import { flushCompileCache } from "node:module";
import { PolicyPack } from "@pulumi/policy";
import { gates } from "./gates.ts";
import { policiesOf } from "./pack/policy.ts";
import { Views } from "./pack/view.ts";
import { contentOf } from "./reading/read.ts";
import { seedOf } from "./reading/sources.ts";

// A language host starts a pack with the stack's configuration.
const config = JSON.parse(process.env["PULUMI_CONFIG"] ?? "{}") as Record<string, string>;

// Constructing the pack starts its server, so the gates stand in modules of their own.
new PolicyPack("hermes", { policies: policiesOf(gates, new Views(config)) });

// The engine has a few questions left, and then starts the program. Meanwhile the readers of commands are loaded, which
// nearly every run needs, and what was compiled is kept: at the end of the run the pack is killed, and keeps nothing.
setTimeout(async () => {
  const props = { create: "sudo -n sh -s", stdin: "#!/usr/bin/env python3\n" };
  await contentOf(await seedOf({ type: "command:remote:Command", props }));
  flushCompileCache();
}, 100);
