import type { Case } from "../../../policy/pack/cases.ts";
import type { Gate } from "../../../policy/pack/gate.ts";

/** Runs a sample gate on properties alone: none of the samples looks at what texts say. */
export async function judgeCase(gate: Gate, { resources, settings }: Case): Promise<string[]> {
  return resources.flatMap(({ type, name = "it", props, protect = false }) => {
    const content = { texts: [], commands: [], settings: [], launches: [], fileSystems: [] };
    const resource = {
      type,
      name,
      urn: `${type}::${name}`,
      parent: undefined,
      protect,
      props: props as Record<string, string>,
      content,
    };
    return gate
      .check(
        resource,
        { ...gate.config?.defaults, ...settings },
        { of: () => [], all: [], config: () => undefined },
      )
      .map(({ at, message }) => `${at} ${message}`);
  });
}
