import { PolicyPack } from "@pulumi/policy";

new PolicyPack("empty", { policies: [] });
