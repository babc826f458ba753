import type { MicrovmGuestSettings } from "../../config/microvm-guest.ts";
import { Commented, nixFile } from "../nix.ts";
import type { FlakeFile } from "./flake-file.ts";

/**
 * The guest's own membership in the tailnet, or undefined when none is wanted. The key is read from a credential of
 * systemd, once: the membership itself lies in /var/lib/tailscale.
 */
export function tailscaleFile({ tailscale }: MicrovmGuestSettings): FlakeFile | undefined {
  if (tailscale === undefined) return undefined;
  const text = nixFile({
    services: {
      tailscale: {
        enable: true,
        authKeyFile: `/run/credentials/@system/${tailscale.authKey}`,
        authKeyParameters:
          tailscale.authKeyKind === "auth-key"
            ? undefined
            : new Commented("Of the key that `tailscale up` makes with the OAuth client's secret.", {
                ephemeral: false,
                preauthorized: true,
              }),
        extraUpFlags: [`--advertise-tags=${tailscale.tags.join(",")}`, "--ssh"],
      },
    },
  });
  return { name: "tailscale.nix", text };
}
