import type { Gate } from "../pack/gate.ts";
import { neighbours } from "../pack/guests.ts";
import type { Resource, Stack } from "../pack/resource.ts";
import { isComponent } from "../reading/launches.ts";
import { imageReference } from "../values/image-reference.ts";

const CONTAINER = "hermes:index:HermesContainer";

/** Advice: a tag can be moved by who owns the registry, a digest cannot. */
export const imageDigest: Gate = {
  id: "image-digest",
  title: "Image digest",
  level: "advisory",
  reason: "A release tag is a promise of the registry; a digest is the image itself.",
  remediation:
    "Add the digest behind the tag: v2026.7.20@sha256:… (`skopeo inspect --format '{{.Digest}}' docker://IMAGE`).",
  check: (resource, _settings, stack) => {
    const found = new Map(withoutDigest(resource));
    // Stryker disable next-line ConditionalExpression: it only takes longer
    if (found.size === 0) return [];
    for (const image of saidBefore(resource, stack)) found.delete(image);
    return [...found].map(([image, at]) => ({ at, value: image, message: "has no digest" }));
  },
};

/** Images of components: what is rendered from one has its image. */
function saidBefore(resource: Resource, stack: Stack): string[] {
  return neighbours(resource, stack)
    .filter((other) => other !== resource && other.type === CONTAINER)
    .flatMap(withoutDigest)
    .map(([image]) => image);
}

/** One that is built in the guest can have no digest. */
const withoutDigest = ({ content }: Resource): [image: string, at: string][] =>
  content.launches.flatMap((launch) => {
    const { image, at } = launch;
    return typeof image !== "string" ||
      imageReference(image).digest !== undefined ||
      image.startsWith("localhost/")
      ? []
      : [[image, isComponent(launch) ? "image" : at]];
  });
