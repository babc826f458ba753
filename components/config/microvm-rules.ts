import type { MicrovmGuestSettings } from "./microvm-guest.ts";
import type { Report } from "./rules.ts";
import { cidr } from "./values.ts";

/** Where a disk may be mounted: elsewhere it would hide what NixOS puts there itself. */
const MOUNT_POINT = /^\/(var\/lib|var\/log|home|srv|mnt)(\/|$)/;

/**
 * The rules of a microvm that span several keys.
 * @param ssh as it stands in the configuration, well-formed or not.
 */
export function microvmProblems(guest: Partial<MicrovmGuestSettings>, ssh: unknown, problem: Report): void {
  hypervisorProblems(guest, problem);
  tailscaleProblems(guest, problem);
  neighbourProblems(guest, problem);
  diskProblems(guest, problem);
  const given: object = typeof ssh === "object" && ssh !== null ? ssh : {};
  if (ssh === undefined) {
    problem(
      ["ssh"],
      "is missing; a microvm needs it: host, user, hostKey and privateKey, by which the NixOS host is reached",
    );
    return;
  }
  const missing = {
    host: "the NixOS host that runs the microvm",
    user: "a login on the NixOS host that may use sudo without a password",
    hostKey:
      "read it on the host itself (`cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub`); it is never trusted on first use",
  };
  for (const [key, what] of Object.entries(missing)) {
    if (!(key in given)) problem(["ssh", key], `is missing; ${what}`);
  }
}

function hypervisorProblems(guest: Partial<MicrovmGuestSettings>, problem: Report): void {
  const { hypervisor = "qemu", memoryMiB, credentialFiles = {} } = guest;
  if (hypervisor === "qemu" && memoryMiB === 2048) {
    problem(
      ["guest", "memoryMiB"],
      "must not be 2048: QEMU hangs at exactly that size (microvm.nix#171); take 2047 or 2049",
    );
  }
  const names = Object.keys(credentialFiles);
  if (hypervisor !== "qemu" && names.length > 0) {
    problem(
      ["guest", "hypervisor"],
      `must be qemu: no other hypervisor of microvm.nix takes credentialFiles (${names.join(", ")})`,
    );
  }
  for (const [name, file] of Object.entries(credentialFiles)) {
    if (!file.startsWith("/nix/store")) continue;
    problem(
      ["guest", "credentialFiles", name],
      "must not be in the Nix store, which every user of the host and the guest can read; take a path like /run/secrets/ts_key",
    );
  }
}

function tailscaleProblems(guest: Partial<MicrovmGuestSettings>, problem: Report): void {
  const { tailscale, credentialFiles = {} } = guest;
  if (tailscale === undefined || Object.hasOwn(credentialFiles, tailscale.authKey)) return;
  const known = Object.keys(credentialFiles).join(", ") || "none";
  problem(
    ["guest", "tailscale", "authKey"],
    `must be one of hermes:guest.credentialFiles (${known}), as in TS_AUTHKEY: /run/secrets/ts_key`,
  );
}

/** Two guests with one MAC, tap, vsock CID or address disturb each other, or the second does not start. */
function neighbourProblems(guest: Partial<MicrovmGuestSettings>, problem: Report): void {
  const plain = (address: string | undefined) => (address === undefined ? undefined : cidr(address)?.address);
  for (const other of guest.neighbours ?? []) {
    const shared = {
      hostname: guest.hostname === other.hostname,
      tap: guest.tap === other.tap,
      mac: guest.mac === other.mac,
      vsockCid: guest.vsockCid === other.vsockCid,
      address: plain(guest.address) === plain(other.address),
    };
    for (const [key, same] of Object.entries(shared)) {
      if (!same || guest[key as keyof typeof shared] === undefined) continue;
      problem(
        ["guest", key],
        `is that of ${other.hostname} (hermes:guest.neighbours); each guest needs its own`,
      );
    }
  }
}

function diskProblems({ disks }: Partial<MicrovmGuestSettings>, problem: Report): void {
  disks?.forEach((disk, index) => {
    if (!MOUNT_POINT.test(disk.mountPoint)) {
      const message =
        "must lie in /var/lib, /var/log, /home, /srv or /mnt; the root of a microvm is a tmpfs and needs no disk";
      problem(["guest", "disks", index, "mountPoint"], message);
    }
    if (disk.grownFromMiB !== undefined && disk.grownFromMiB >= disk.sizeMiB) {
      problem(["guest", "disks", index, "grownFromMiB"], `must be below sizeMiB (${disk.sizeMiB})`);
    }
  });
  const state = disks?.find((disk) => disk.mountPoint === "/var/lib");
  if (disks !== undefined && (state?.name !== "state" || !state.persistent)) {
    problem(
      ["guest", "disks"],
      "must contain a persistent one called state at /var/lib: the guest's SSH host key and its identity in the tailnet are there",
    );
  }
}
