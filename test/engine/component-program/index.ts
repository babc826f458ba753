import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

/** `late`: args that are known only when another resource has been made. */
const {
  type,
  args,
  late = {},
} = new pulumi.Config("test").requireObject<{
  type: string;
  args: pulumi.Inputs;
  late?: Readonly<Record<string, string>>;
}>("component");

const { id } = new random.RandomString("before", { length: 8 });
const lateArgs = Object.entries(late).map(([key, value]) => [key, id.apply(() => value)]);
new pulumi.ComponentResource(type, "it", { ...args, ...Object.fromEntries(lateArgs) });
