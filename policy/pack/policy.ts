import type { PolicyConfigSchema, ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import type { Gate } from "./gate.ts";
import { paragraphs } from "./report.ts";
import type { Resource } from "./resource.ts";
import type { Views } from "./view.ts";

/**
 * The gates as the policies of one pack, all looking at the same views. What must block is a resource policy: a stack
 * policy runs when `up --skip-preview` has done its work.
 */
export function policiesOf(
  gates: readonly Gate[],
  views: Views,
): (ResourceValidationPolicy | StackValidationPolicy)[] {
  return gates.map((gate) => {
    const { id, title, reason, remediation, level } = gate;
    const configSchema = configSchemaOf(gate);
    const common = {
      name: id,
      displayName: title,
      description: reason,
      remediationSteps: remediation,
      enforcementLevel: level,
      severity: level === "mandatory" ? "high" : "low",
      ...(configSchema === undefined ? {} : { configSchema }),
    } as const;
    const settings = (given: object) => ({ ...gate.config?.defaults, ...given });
    const said = (resource: Resource, given: object) =>
      paragraphs(gate, resource, gate.check(resource, settings(given), views));
    if (gate.when === "end") {
      return {
        ...common,
        validateStack(args, reportViolation) {
          for (const resource of views.all) {
            for (const message of said(resource, args.getConfig())) reportViolation(message, resource.urn);
          }
        },
      } satisfies StackValidationPolicy;
    }
    return {
      ...common,
      async validateResource(args, reportViolation) {
        const resource = await views.see(args, id);
        for (const message of said(resource, args.getConfig())) reportViolation(message);
      },
    } satisfies ResourceValidationPolicy;
  });
}

function configSchemaOf({ config }: Gate): PolicyConfigSchema | undefined {
  if (config === undefined) return undefined;
  const defaults = new Map(Object.entries(config.defaults));
  const properties = Object.entries(config.properties as NonNullable<PolicyConfigSchema["properties"]>);
  const withDefaults = properties.map(([key, schema]) => [
    key,
    typeof schema === "boolean" ? schema : { ...schema, default: defaults.get(key) },
  ]);
  return { properties: Object.fromEntries(withDefaults) };
}
