/** What an image reference says: `registry/name:tag@digest`. */

const CONTAINER_TAG =
  /^v(20\d{2}\.([1-9]|1[0-2])\.([1-9]|[12]\d|3[01])(\.\d{1,3})?|\d{1,3}\.\d{1,3}\.\d{1,3})$/;
/** The only kind of digest that registries and podman have in use. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface ImageReference {
  readonly name: string;
  /** What stands behind the first colon of the last path element. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Splits `registry/name:tag@digest`. */
export function imageReference(text: string): ImageReference {
  const at = text.indexOf("@");
  const digest = at === -1 ? undefined : text.slice(at + 1);
  const reference = at === -1 ? text : text.slice(0, at);
  const colon = reference.indexOf(":", reference.lastIndexOf("/"));
  if (colon === -1) return { name: reference, tag: undefined, digest };
  return { name: reference.slice(0, colon), tag: reference.slice(colon + 1), digest };
}

export const isDigest = (text: string): boolean => DIGEST.test(text);

/** Why `text` is not an image pinned to a release tag; undefined when it is. */
export function unpinned(text: string): string | undefined {
  const { name, tag, digest } = imageReference(text);
  const repository = name.split("/");
  const registry = String(repository.shift());
  const host = /^(?<host>[a-z0-9]+([.-][a-z0-9]+)*)(:(?<port>\d{1,5}))?$/.exec(registry)?.groups;
  // Without a dot or a port podman would take it for a short name, and its own settings choose the registry.
  const names =
    host !== undefined && (/\./.test(registry) || host["port"] !== undefined || registry === "localhost");
  const valid =
    repository.length > 0 && repository.every((part) => /^[a-z0-9]+([._-]+[a-z0-9]+)*$/.test(part));
  if (!names || !valid || Number(host["port"] ?? 1) > 65535 || text.length > 255) {
    return "does not name its registry and repository (docker.io/nousresearch/hermes-agent)";
  }
  if (digest !== undefined && !isDigest(digest)) return "has a digest that is not sha256: and 64 hex digits";
  if (tag === undefined) return "has no tag";
  if (!CONTAINER_TAG.test(tag)) return `has the tag ${JSON.stringify(tag)}, which can move`;
  return undefined;
}
