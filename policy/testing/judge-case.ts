import type { Gate, Problem } from "../pack/gate.ts";
import { paragraphs } from "../pack/report.ts";
import type { Resource } from "../pack/resource.ts";
import { Views } from "../pack/view.ts";
import { type Case, Secret } from "./cases.ts";

/** What a gate finds wrong with a resource of a case, and what it says of that. */
export interface Judged {
  readonly problems: readonly Problem[];
  /** One a problem; the same thing at the same place is said once. */
  readonly paragraphs: readonly string[];
}

/** What a gate says of a case, without an engine. */
export async function judgeCase(gate: Gate, trial: Case): Promise<string[]> {
  return (await judgedResources(gate, trial)).flatMap((judged) => judged.paragraphs);
}

/** What a gate finds wrong with each resource of a case. */
export async function judgedResources(gate: Gate, { resources, settings, config }: Case): Promise<Judged[]> {
  const views = new Views(config);
  const found: Judged[] = [];
  const judge = (resource: Resource) => {
    const problems = gate.check(resource, { ...gate.config?.defaults, ...settings }, views);
    found.push({ problems, paragraphs: paragraphs(gate, resource, problems) });
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
  return found;
}

/** Secrets as a resource policy sees them: in plain. */
function plainly(value: unknown): unknown {
  if (value instanceof Secret) return plainly(value.value);
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainly(inner)]));
}
