import { type Case, Secret } from "./cases.ts";
import type { Gate } from "./gate.ts";
import { paragraphs } from "./report.ts";
import type { Resource } from "./resource.ts";
import { Views } from "./view.ts";

/** What a gate says of a case, one paragraph a problem, without an engine. */
export async function judgeCase(gate: Gate, { resources, settings, config }: Case): Promise<string[]> {
  const views = new Views(config);
  const said: string[] = [];
  const judge = (resource: Resource) => {
    const problems = gate.check(resource, { ...gate.config?.defaults, ...settings }, views);
    said.push(...paragraphs(gate, resource, problems));
  };
  for (const { type, name = "it", props, protect = false, parent } of resources) {
    const urn = (of: string, called: string) => `urn:pulumi:test::hermes::${of}::${called}`;
    const args = {
      type,
      name,
      urn: urn(type, name),
      props: plainly(props) as Record<string, unknown>,
      opts: {
        protect,
        ...(parent === undefined ? {} : { parent: urn(...parent) }),
        ignoreChanges: [],
        aliases: [],
        additionalSecretOutputs: [],
        customTimeouts: { createSeconds: 0, updateSeconds: 0, deleteSeconds: 0 },
      },
    };
    const resource = await views.see(args, gate.id);
    if (gate.when !== "end") judge(resource);
  }
  if (gate.when === "end") views.all.forEach(judge);
  return said;
}

/** Secrets as a resource policy sees them: in plain. */
function plainly(value: unknown): unknown {
  if (value instanceof Secret) return plainly(value.value);
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainly(inner)]));
}
