import type { PolicyConfigSchema } from "@pulumi/policy";
import type { Resource, Stack } from "./resource.ts";

/** What is wrong with a resource. The report makes one paragraph of it and of the gate's reason and remediation. */
export interface Problem {
  /** Place in the resource: `image`, `stdin › /etc/containers/systemd/hermes.container › Image`. */
  readonly at: string;
  /** The value found, when there is one and it may be shown. Never a credential: `redacted` makes one showable. */
  readonly value?: unknown;
  /** What is wrong, as the end of the sentence "<place> is <value>, which …", or without a value "<place> …": `has no tag`. */
  readonly message: string;
  /** What to do instead, when that depends on what was found. Default: the gate's remediation. */
  readonly fix?: string;
}

/** A setting of a gate that a user may change with `--policy-pack-config`. */
export interface GateConfig<Settings> {
  readonly defaults: Settings;
  /** JSON Schema of each setting, with a description. */
  readonly properties: { readonly [Key in keyof Settings]: SettingSchema };
}

type SettingSchema = NonNullable<PolicyConfigSchema["properties"]>[string] & { readonly description: string };

/** One thing that must never be deployed (mandatory), or had better not be (advisory). */
export interface Gate<Settings extends object = object> {
  /** What `pulumi preview` prints and a policy pack's configuration names. */
  readonly id: string;
  readonly title: string;
  readonly level: "mandatory" | "advisory";
  /** Why: one or two sentences that a person who is refused reads. */
  readonly reason: string;
  /** What to change, in general. */
  readonly remediation: string;
  readonly config?: GateConfig<Settings>;
  /**
   * `resource` (default): judged when the resource is registered, before anything of it is created. `end`: judged when
   * all are known; too late to block `up --skip-preview`, so only for advice.
   */
  readonly when?: "resource" | "end";
  /** Everything wrong with this resource, by its inputs. */
  check(resource: Resource, settings: Settings, stack: Stack): readonly Problem[];
}
