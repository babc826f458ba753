import { PolicyPack } from "@pulumi/policy";
import { gates } from "./gates.ts";

// Constructing the pack starts its server, so the gates stand in modules of their own.
new PolicyPack("hermes", { policies: [...gates] });
