import * as pulumi from "@pulumi/pulumi";
import { UNKNOWN } from "../../../policy/reading/content.ts";
import { type CaseResource, type GateCases, Secret } from "../../../policy/testing/cases.ts";

/** Cases of a gate by their places in its list. */
interface Wanted {
  readonly gate: string;
  readonly verdict: "refuses" | "allows";
  readonly indexes: readonly number[];
}

// Registered as components whatever their type, so that no provider is needed: a policy sees type and inputs all the same.
const { gate, verdict, indexes } = new pulumi.Config("test").requireObject<Wanted>("cases");
const file = new URL(`../../../policy/gates/${gate}.cases.ts`, import.meta.url).href;
const { cases } = (await import(file)) as { cases: GateCases };

for (const index of indexes) {
  const alone = indexes.length === 1;
  // Several cases: each in a component of its own, and its place in the names.
  const around = alone ? {} : { parent: new pulumi.ComponentResource("test:index:Case", `${index}`) };
  const made = new Map<string, pulumi.Resource>();
  for (const { type, name = "it", props, protect = false, parent } of cases[verdict][index]?.resources ??
    []) {
    const owner = parent === undefined ? undefined : made.get(parent.join(" "));
    const options = { ...around, protect, ...(owner === undefined ? {} : { parent: owner }) };
    const called = alone ? name : `${index}-${name}`;
    const resource = new pulumi.ComponentResource(type, called, inputs(props), options);
    made.set(`${type} ${name}`, resource);
    // One after the other: what a gate says may depend on what came before.
    await new Promise((resolve) => resource.urn.apply(resolve));
  }
}

function inputs(props: CaseResource["props"]): pulumi.Inputs {
  return Object.fromEntries(Object.entries(props).map(([key, value]) => [key, input(value)]));
}

function input(value: unknown): pulumi.Input<unknown> {
  if (value === UNKNOWN) return pulumi.output(pulumi.unknown);
  if (value instanceof Secret) return pulumi.secret(input(value.value));
  if (Array.isArray(value)) return value.map(input);
  if (typeof value !== "object" || value === null || pulumi.asset.Asset.isInstance(value)) return value;
  return inputs(value as CaseResource["props"]);
}
