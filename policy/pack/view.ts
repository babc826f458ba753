import type { ResourceValidationArgs } from "@pulumi/policy";
import { contentOf } from "../reading/read.ts";
import { settingsOf } from "../reading/settings.ts";
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
  readonly #byUrn = new Map<string, Resource>();
  readonly #byType = new Map<string, Resource[]>();
  readonly #all: Resource[] = [];
  readonly #config: Readonly<Record<string, string>>;

  /** @param config the stack's configuration, keys with their namespace, structured values as JSON. */
  constructor(config: Readonly<Record<string, string>> = {}) {
    this.#config = config;
  }

  get all(): readonly Resource[] {
    return this.#all;
  }

  of(type: string): readonly Resource[] {
    return this.#byType.get(type) ?? [];
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
    this.#register(await resource);
    return resource;
  }

  /** A resource that is registered again takes the place of what it was. */
  #register(resource: Resource): void {
    const { type, urn } = resource;
    const before = this.#byUrn.get(urn);
    const same = this.#byType.get(type) ?? [];
    this.#byUrn.set(urn, resource);
    this.#byType.set(type, same);
    for (const list of [this.#all, same]) {
      const place = before === undefined ? -1 : list.indexOf(before);
      list.splice(place < 0 ? list.length : place, place < 0 ? 0 : 1, resource);
    }
  }

  async #resource({ type, name, urn, opts, props: inputs }: Args): Promise<Resource> {
    const props = await plain(inputs);
    const settings = settingsOf(props);
    const said = await contentOf(await seedOf({ type, props }, settings));
    const content = { ...said, settings: [...settings, ...said.settings] };
    const parent = this.#byUrn.get(opts.parent ?? "");
    const around =
      parent === undefined || parent.type === "pulumi:pulumi:Stack" ? [] : [...parent.around, parent];
    return { type, name, urn, around, protect: opts.protect, props, content };
  }
}
