import type { Gate, Problem } from "../pack/gate.ts";
import { shown } from "../pack/report.ts";
import type { Launch } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isComponent } from "../reading/launches.ts";
import { imageReference, isDigest, unpinned } from "../values/image-reference.ts";

interface Settings {
  readonly otherTags: Readonly<Record<string, string>>;
}

/** Every image that is run or pulled stands at a release tag. */
export const pinnedImage: Gate<Settings> = {
  id: "pinned-image",
  title: "Pinned image",
  level: "mandatory",
  reason: "A tag that moves changes what runs without a deploy, and there is no way back to what ran before.",
  remediation:
    "Take a release tag, vYYYY.M.D[.N] or vX.Y.Z, best with its digest (@sha256:…). For images of others, say in the setting `otherTags` what their release tags look like.",
  config: {
    defaults: { otherTags: {} },
    properties: {
      otherTags: {
        type: "object",
        description:
          "Other images than Hermes whose release tags look different: repository to a regular expression for the whole tag.",
      },
    },
  },
  check: ({ type, props, content }, settings) => {
    const problems = content.launches.flatMap((launch) => ofLaunch(launch, settings));
    const missing = type === "hermes:index:HermesContainer" && props["image"] === undefined;
    return missing ? [{ at: "image", message: "is missing" }] : problems;
  },
};

function ofLaunch(launch: Launch, { otherTags }: Settings): Problem[] {
  const { image, verb } = launch;
  const at = isComponent(launch) ? "image" : launch.at;
  if (image === undefined) return [];
  if (image === UNKNOWN) {
    // In a preview a component's image may still be unknown. What a shell decides stays so; pulling alone starts nothing.
    if (isComponent(launch) || verb === "pull") return [];
    const fix = "Write the image into the command, at a release tag.";
    return [{ at, message: "runs an image that a variable names, so nobody can tell which", fix }];
  }
  const reference = image.replace(/^docker:\/\//, "");
  const { name, tag = "", digest } = imageReference(reference);
  const other = otherTags[name];
  const allowed =
    other !== undefined &&
    !/hermes/i.test(name) &&
    matches(other, tag) &&
    (digest === undefined || isDigest(digest));
  const reason = allowed ? undefined : unpinned(reference);
  return reason === undefined ? [] : [{ at: `${at} ${shown(image)}`, message: reason }];
}

function matches(pattern: string, tag: string): boolean {
  let whole: RegExp | undefined;
  try {
    whole = new RegExp(`^(?:${pattern})$`);
  } catch {
    // What is no expression matches nothing.
  }
  return whole?.test(tag) ?? false;
}
