import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config("test");
const { type, args } = config.requireObject<{ type: string; args: pulumi.Inputs }>("component");
new pulumi.ComponentResource(type, "it", args);
