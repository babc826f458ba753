import * as pulumi from "@pulumi/pulumi";
import { type CaseResource, type GateCases, Secret } from "../../../policy/pack/cases.ts";
import { UNKNOWN } from "../../../policy/reading/content.ts";

/** Cases of a gate: all those of one resource together, or one by its place in the list. */
interface Wanted {
  readonly gate: string;
  readonly verdict: "refuses" | "allows";
  /** Index of a case; default: all that have one resource and no settings of their own. */
  readonly index?: number;
}

// Registered as components whatever their type, so that no provider is needed: a policy sees type and inputs all the same.
const { gate, verdict, index } = new pulumi.Config("test").requireObject<Wanted>("cases");
const file = new URL(`../../../policy/gates/${gate}.cases.ts`, import.meta.url).href;
const { cases } = (await import(file)) as { cases: GateCases };

cases[verdict].forEach((one, at) => {
  if (index === undefined ? one.resources.length > 1 || one.settings || one.config : at !== index) return;
  const made = new Map<string, pulumi.Resource>();
  for (const resource of one.resources) {
    const { type, name = "it", props, protect = false, parent } = resource;
    const owner = parent === undefined ? undefined : made.get(parent.join(" "));
    const options = { protect, ...(owner === undefined ? {} : { parent: owner }) };
    const called = index === undefined ? `${at}-${name}` : name;
    made.set(`${type} ${name}`, new pulumi.ComponentResource(type, called, inputs(props), options));
  }
});

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
