import { PolicyPack } from "@pulumi/policy";
import { gates } from "./gates.ts";
import { policiesOf } from "./pack/policy.ts";
import { Views } from "./pack/view.ts";

// A language host starts a pack with the stack's configuration.
const config = JSON.parse(process.env["PULUMI_CONFIG"] ?? "{}") as Record<string, string>;

// Constructing the pack starts its server, so the gates stand in modules of their own.
new PolicyPack("hermes", { policies: policiesOf(gates, new Views(config)) });
