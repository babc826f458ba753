import type { ResourceValidationArgs } from "@pulumi/policy";
import { contentOf } from "../reading/read.ts";
import { seedOf } from "../reading/sources.ts";
import { plain } from "./plain.ts";
import type { Resource, Stack } from "./resource.ts";

type Args = Pick<ResourceValidationArgs, "type" | "name" | "urn" | "props" | "opts">;

/**
 * The resources of one run as gates see them.
 *
 * The SDK hands every gate its own copy of a resource's inputs. Reading them once per gate would cost a run of twenty
 * gates twenty times as much, so a view is shared by the gates of one registration: the first gate that meets a URN for
 * the second time makes a new one.
 */
export class Views implements Stack {
  readonly #views = new Map<
    string,
    { readonly resource: Promise<Resource>; readonly judgedBy: Set<string> }
  >();
  readonly #registered = new Map<string, Resource>();
  readonly #config: Readonly<Record<string, string>>;

  /** @param config the stack's configuration, keys with their namespace, structured values as JSON. */
  constructor(config: Readonly<Record<string, string>> = {}) {
    this.#config = config;
  }

  get all(): readonly Resource[] {
    return [...this.#registered.values()];
  }

  of(type: string): readonly Resource[] {
    return this.all.filter((resource) => resource.type === type);
  }

  config(key: string): unknown {
    const text = this.#config[key];
    try {
      return text === undefined ? undefined : JSON.parse(text);
    } catch {
      return text;
    }
  }

  /** What `gate` sees of the resource that it is being asked about. */
  async see(args: Args, gate: string): Promise<Resource> {
    const known = this.#views.get(args.urn);
    if (known !== undefined && !known.judgedBy.has(gate)) {
      known.judgedBy.add(gate);
      return known.resource;
    }
    const resource = this.#resource(args);
    this.#views.set(args.urn, { resource, judgedBy: new Set([gate]) });
    this.#registered.set(args.urn, await resource);
    return resource;
  }

  async #resource({ type, name, urn, opts, props: inputs }: Args): Promise<Resource> {
    const props = await plain(inputs);
    const content = await contentOf(await seedOf({ type, props }));
    const { parent, protect } = opts;
    return { type, name, urn, parent, protect, props, content };
  }
}
