import type { ResourceValidationArgs, ResourceValidationPolicy } from "@pulumi/policy";

/** What a gate says of a resource with these properties. */
export async function violations(
  gate: ResourceValidationPolicy,
  resource: { type: string; name?: string; props: Record<string, unknown> },
): Promise<string[]> {
  const said: string[] = [];
  const args: ResourceValidationArgs = {
    type: resource.type,
    props: resource.props,
    name: resource.name ?? "it",
    urn: `urn:pulumi:test::hermes::${resource.type}::${resource.name ?? "it"}`,
    opts: {
      protect: false,
      ignoreChanges: [],
      aliases: [],
      additionalSecretOutputs: [],
      customTimeouts: { createSeconds: 0, updateSeconds: 0, deleteSeconds: 0 },
    },
    stackTags: new Map(),
    isType: () => false,
    asType: () => undefined,
    getConfig: <T extends object>() => ({}) as T,
    notApplicable(reason) {
      throw new Error(`not applicable: ${reason}`);
    },
  };
  for (const validate of [gate.validateResource ?? []].flat()) {
    await validate(args, (message) => said.push(message));
  }
  return said;
}
