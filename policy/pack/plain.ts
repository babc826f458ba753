import * as wrapper from "@pulumi/policy/proxy.js";
import { asset } from "@pulumi/pulumi";
import { UNKNOWN } from "../reading/content.ts";
import type { Value, Values } from "./resource.ts";

// These are exported for the SDK's own use and have no types: a change of theirs must be seen at once, not as `undefined`.
const sdk = wrapper as unknown as Readonly<Record<string, unknown>>;
const KINDS = ["Boolean", "Number", "String", "Array", "Asset", "Archive", "Object"];

/** What the policy SDK puts in the place of a value that is not known yet. */
const SENTINELS: ReadonlySet<unknown> = new Set(KINDS.map((kind) => internal(`unknown${kind}Value`)));
const TARGET = internal("getSpecialProxyTarget");

/**
 * Properties as plain values, with `UNKNOWN` for what is not known yet.
 *
 * The SDK wraps properties so that reading an unknown one throws, and then takes the whole violation down to advisory:
 * an unknown value beside a bad one would soften every gate. So gates never read through that wrapper.
 * An asset becomes `{ text }`, `{ path }` or `{ uri }`, whichever it was made with, an archive of them `{ assets }`.
 */
export async function plain(props: Readonly<Record<string, unknown>>): Promise<Values> {
  const target = props[TARGET];
  const assets: Promise<void>[] = [];
  const values = value(typeof target === "object" && target !== null ? target : props, assets) as Values;
  // An asset's content is a promise.
  if (assets.length > 0) await Promise.all(assets);
  return values;
}

function value(raw: unknown, assets: Promise<void>[]): Value {
  if (typeof raw === "string") return SENTINELS.has(raw) ? UNKNOWN : raw;
  if (typeof raw !== "object" || raw === null) return raw as Value;
  if (Array.isArray(raw)) return raw.map((inner) => value(inner, assets));
  // Without a prototype: a property may be called __proto__ or constructor.
  const values = Object.create(null) as Record<string, Value>;
  if (asset.Asset.isInstance(raw) || asset.Archive.isInstance(raw)) {
    assets.push(fill(values, raw));
    return values;
  }
  for (const [key, inner] of Object.entries(raw)) values[key] = value(inner, assets);
  return values;
}

async function fill(values: Record<string, Value>, made: object): Promise<void> {
  const parts = made as Record<string, unknown>;
  for (const key of ["text", "path", "uri"]) {
    const content: unknown = await parts[key];
    if (typeof content === "string") values[key] = SENTINELS.has(content) ? UNKNOWN : content;
  }
  const assets: Promise<void>[] = [];
  const inner: unknown = await parts["assets"];
  if (inner !== undefined) values["assets"] = value(inner, assets);
  await Promise.all(assets);
}

function internal(name: string): string {
  const found = sdk[name];
  if (typeof found !== "string")
    throw new Error(`@pulumi/policy/proxy has no ${name}: its version is not the pinned one`);
  return found;
}
