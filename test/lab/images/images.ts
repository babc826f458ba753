import { dirname } from "node:path";
import { withLock } from "../../../scripts/setup/lock.ts";
import { type DiskImage, ensureDebianImage } from "./debian-image.ts";
import { requireSpace } from "./disk-space.ts";
import { cached, isComplete } from "./folder.ts";
import { ensureHermesImage, type HermesImage } from "./hermes-image.ts";
import { fillRegistry } from "./registry.ts";

/** Roots, scratch trees and results together, while the larger build runs. */
const SPACE_BYTES = 6 * 1024 ** 3;

export interface Images {
  readonly debian: DiskImage;
  readonly hermes: HermesImage;
}

/**
 * Everything that the lab's guest boots and runs: its disk image, the Hermes image, and a registry's storage
 * with that image in it. About five minutes the first time, nothing the second.
 */
export function ensureImages(): Promise<Images> {
  return withLock("images", async () => {
    if (
      !["debian-13-lab.qcow2", "hermes-agent.oci.tar", "registry"].every((name) => isComplete(cached(name)))
    ) {
      requireSpace(dirname(cached("any")), SPACE_BYTES);
    }
    // At the same time: one downloads while the other unpacks. Both end before a failure is reported.
    const outcomes = await Promise.allSettled([
      ensureDebianImage(),
      ensureHermesImage().then(async (image) => {
        await fillRegistry(image);
        return image;
      }),
    ]);
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    const [debian, hermes] = outcomes;
    if (debian.status === "rejected" || hermes.status === "rejected") {
      throw failures.length === 1
        ? failures[0]
        : new AggregateError(failures, failures.map(String).join("\n"));
    }
    return { debian: debian.value, hermes: hermes.value };
  });
}
