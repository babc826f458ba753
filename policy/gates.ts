import type { ResourceValidationPolicy } from "@pulumi/policy";
import { pinnedImage } from "./pinned-image.ts";
import { placementGate } from "./placement-gate.ts";

/** Every gate of the pack. All are resource policies: a stack policy cannot block under `--skip-preview`. */
export const gates: readonly ResourceValidationPolicy[] = [pinnedImage, placementGate];
