import { z } from "zod";
import { common, disk } from "./guest.ts";
import { label, path } from "./values.ts";

const REVISION = "[0-9a-f]{40}";
const NAME = "[A-Za-z0-9][A-Za-z0-9._-]*";

/** A flake reference that names one commit: what it fetches cannot change. */
export const pinnedFlake = z
  .string()
  .regex(
    new RegExp(
      `^((github|gitlab|sourcehut):~?${NAME}/${NAME}/${REVISION}|git\\+(https|ssh)://[!-!$-%'-;=@-Z_a-z~]+\\?rev=${REVISION})$`,
    ),
    "must be a flake pinned to a commit, as in github:NixOS/nixpkgs/ and the 40 hex digits of a revision: a branch or tag would bring another system with every rebuild",
  );

const tap = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,14}$/,
    "must be 1 to 15 of a-z, 0-9 and -, a letter first: Linux allows no longer interface name, at most 15 characters",
  );
const mac = z
  .string()
  .regex(
    /^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/,
    "must be a locally administered unicast MAC in lower case, as in 02:00:00:00:20:02",
  );
const vsockCid = z
  .int()
  .min(3, "must be above 2: 0 to 2 are reserved")
  .max(999_999_999, "must be below 1000000000");

/** Another guest of the host, whose tap, MAC, CID and address this one must not have. */
const neighbour = z.strictObject({
  hostname: label,
  tap: tap.optional(),
  mac: mac.optional(),
  vsockCid: vsockCid.optional(),
  address: common.address.optional(),
});

const credentialName = z
  .string()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,27}$/,
    "must be at most 28 of letters, digits, _, . and -, as in TS_AUTHKEY: QEMU takes no longer name",
  );

export const microvmGuest = z.strictObject({
  kind: z.literal("microvm").describe("A NixOS guest of a host with microvm.nix."),
  ...common,
  disks: z
    .array(
      disk.extend({
        grownFromMiB: disk.shape.sizeMiB
          .optional()
          .describe(
            'The size before, in MiB, when you have grown the image by hand (docs/nixos-host.md, "Grow a disk"): without it a changed sizeMiB is refused.',
          ),
      }),
    )
    .min(1)
    .describe("A disk is an image NAME.img on the host, with an ext4 file system labelled NAME."),
  hypervisor: z
    .enum(["qemu", "cloud-hypervisor"])
    .default("qemu")
    .describe("A change restarts the guest. Only QEMU takes credentialFiles."),
  system: z
    .enum(["x86_64-linux", "aarch64-linux"])
    .default("x86_64-linux")
    .describe("Platform of the host and the guest."),
  stateVersion: z
    .string()
    .regex(/^\d\d\.(05|11)$/, "must be a NixOS release, as in 26.05")
    .describe(
      "NixOS release that the guest was first made with (system.stateVersion). Leave it as it is: data on the disks has its form.",
    ),
  inputs: z
    .strictObject({
      nixpkgs: pinnedFlake.describe("A change rebuilds the guest from other packages and restarts it."),
      microvm: pinnedFlake.describe("microvm.nix. A change rebuilds the guest and restarts it."),
    })
    .describe("Inputs of the guest's flake, each pinned to a commit."),
  tap: tap.describe("Network interface of the guest on the host, unique there. A change restarts the guest."),
  mac: mac.describe("MAC address of the guest, unique in its network. A change restarts the guest."),
  vsockCid: vsockCid.describe(
    "vsock context id, unique on the host: the host reaches the guest by it. A change restarts the guest.",
  ),
  neighbours: z
    .array(neighbour)
    .optional()
    .describe("Other guests of the host. Only compared with this one; a change does nothing on the host."),
  credentialFiles: z
    .record(credentialName, path)
    .default({})
    .describe(
      "Files of the host that the guest gets as systemd credentials, by name. They never enter the Nix store. A changed set restarts the guest.",
    ),
  tailscale: z
    .strictObject({
      tags: z
        .array(z.string().regex(/^tag:[a-z][a-z0-9-]*$/, "must be a tag of the tailnet, as in tag:server"))
        .min(1)
        .describe(
          "Tags that the guest advertises when it joins; its key must be allowed to give them. Of a guest that has joined, change them in the tailnet's console.",
        ),
      authKey: credentialName.describe("Which of credentialFiles is the auth key, not an ephemeral one."),
      authKeyKind: z
        .enum(["auth-key", "oauth-client-secret"])
        .default("auth-key")
        .describe(
          "oauth-client-secret: `tailscale up` makes a key with it, pre-approved and not ephemeral. A plain auth key has that decided already.",
        ),
    })
    .optional()
    .describe("Joins the tailnet, with Tailscale SSH. Default: no tailnet. A change restarts the guest."),
  autostart: z
    .enum(["required", "by-hand"])
    .default("required")
    .describe(
      "required: a deploy fails while the host does not start the guest when it boots (microvm.autostart). by-hand: you start it yourself.",
    ),
  labels: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, "must be a word"), z.string())
    .optional()
    .describe("Words for people and policies, as in owner: mhelton. A change does nothing on the host."),
  onDestroy: z
    .enum(["refuse", "keep-data", "delete-data"])
    .default("keep-data")
    .describe(
      "What `pulumi destroy` may remove: nothing (refuse), the guest but no image of a persistent disk (keep-data), or everything (delete-data). Takes effect at the next `up`.",
    ),
});

export type MicrovmGuestSettings = z.output<typeof microvmGuest>;
