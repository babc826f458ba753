import type { ResourceValidationPolicy } from "@pulumi/policy";
import { unpinned } from "../components/config/values.ts";

/** Refuses a HermesContainer whose image has no release tag: what runs must not change by itself. */
export const pinnedImage: ResourceValidationPolicy = {
  name: "pinned-image",
  displayName: "Pinned image",
  description: "The image of Hermes stands at a release tag.",
  remediationSteps:
    "Set hermes:container.image to a release tag, vYYYY.M.D[.N] or vX.Y.Z, best with its digest.",
  enforcementLevel: "mandatory",
  severity: "high",
  validateResource(args, reportViolation) {
    if (args.type !== "hermes:index:HermesContainer") return;
    const image: unknown = args.props["image"];
    const reason = typeof image === "string" ? unpinned(image) : "is no text";
    if (reason === undefined) return;
    reportViolation(
      `The image of ${args.name}, ${JSON.stringify(image)}, ${reason}. A tag that moves changes what runs without a ` +
        "deploy, and there is no way back to what ran before. Take a release tag, vYYYY.M.D[.N] or vX.Y.Z, best with @sha256:….",
    );
  },
};
