import { backupCoverage } from "./gates/backup-coverage.ts";
import { distinctNames } from "./gates/distinct-names.ts";
import { firewallOptions } from "./gates/firewall-options.ts";
import { guardrails } from "./gates/guardrails.ts";
import { guestFirewall } from "./gates/guest-firewall.ts";
import { guestSize } from "./gates/guest-size.ts";
import { imageDigest } from "./gates/image-digest.ts";
import { loopbackDashboard } from "./gates/loopback-dashboard.ts";
import { narrowGrant } from "./gates/narrow-grant.ts";
import { noFunnel } from "./gates/no-funnel.ts";
import { noManagementCredentials } from "./gates/no-management-credentials.ts";
import { noPublishedPort } from "./gates/no-published-port.ts";
import { persistentData } from "./gates/persistent-data.ts";
import { pinnedHostKey } from "./gates/pinned-host-key.ts";
import { pinnedImage } from "./gates/pinned-image.ts";
import { placementGate } from "./gates/placement-gate.ts";
import { protectedState } from "./gates/protected-state.ts";
import { sandboxedTools } from "./gates/sandboxed-tools.ts";
import { sharedTailnetPolicy } from "./gates/shared-tailnet-policy.ts";
import { unseenFile } from "./gates/unseen-file.ts";
import type { Gate } from "./pack/gate.ts";

/** Every gate of the pack: first what blocks, then what advises. */
export const gates: readonly Gate[] = [
  noFunnel,
  pinnedImage,
  persistentData,
  loopbackDashboard,
  noPublishedPort,
  placementGate,
  noManagementCredentials,
  pinnedHostKey,
  sharedTailnetPolicy,
  narrowGrant,
  distinctNames,
  protectedState,
  guestFirewall,
  sandboxedTools,
  guestSize,
  imageDigest,
  backupCoverage,
  firewallOptions,
  guardrails,
  unseenFile,
] as readonly Gate[];
