import { dirname } from "node:path";
import { withLock } from "../../../scripts/setup/lock.ts";
import { ensureChopperImage } from "../chopper/image.ts";
import type { StackName } from "../record.ts";
import { ensureDebianImage } from "./debian-image.ts";
import { requireSpace } from "./disk-space.ts";
import { cached, isComplete } from "./folder.ts";
import { ensureHermesImage } from "./hermes-image.ts";
import { fillRegistry } from "./registry.ts";

/** Roots, scratch trees and results together, while the larger builds run. */
const SPACE_BYTES = 6 * 1024 ** 3;

/** What each stack's machines boot and run, as files in the cache of images. */
const NEEDED: { readonly [stack in StackName]: readonly string[] } = {
  "pve-sbx": ["debian-13-lab.qcow2", "hermes-agent.oci.tar", "registry"],
  chopper: ["hermes-agent.oci.tar", "registry", "chopper.qcow2"],
};

/**
 * Everything that the machines of a stack's lab boot and run: disk images, the Hermes image, and a registry's storage
 * with that image in it. About five minutes the first time, nothing the second.
 */
export function ensureImages(stack: StackName): Promise<void> {
  return withLock("images", async () => {
    if (!NEEDED[stack].every((name) => isComplete(cached(name)))) {
      requireSpace(dirname(cached("any")), SPACE_BYTES);
    }
    // At the same time: one downloads while the other unpacks. All end before a failure is reported.
    const outcomes = await Promise.allSettled([
      ensureHermesImage().then(fillRegistry),
      stack === "chopper" ? ensureChopperImage() : ensureDebianImage(),
    ]);
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    if (failures.length > 0) {
      throw failures.length === 1
        ? failures[0]
        : new AggregateError(failures, failures.map(String).join("\n"));
    }
  });
}
