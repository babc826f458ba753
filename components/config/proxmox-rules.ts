import type { ProxmoxGuestSettings } from "./proxmox-guest.ts";
import type { Report } from "./rules.ts";

/**
 * The rules of a Proxmox guest that span several keys.
 * @param ssh as it stands in the configuration, well-formed or not.
 */
export function proxmoxProblems(guest: Partial<ProxmoxGuestSettings>, ssh: unknown, problem: Report): void {
  if (ssh === undefined) {
    problem(
      ["ssh"],
      "is missing; a proxmox guest needs it: the deploy key that the parts are installed with",
    );
  }
  for (const key of ["user", "hostKey"]) {
    if (typeof ssh !== "object" || ssh === null || !(key in ssh)) continue;
    const instead = key === "user" ? "hermes:admin.user" : "hermes:guest.hostKey";
    problem(["ssh", key], `is for a guest of kind microvm; here it is ${instead}`);
  }
  if (guest.vmId !== undefined && guest.vmId === guest.dataVmId) {
    problem(["guest", "dataVmId"], "must differ from vmId");
  }
  if (guest.hostKey === undefined && guest.vendorData === undefined) {
    const message =
      "is missing, and so is hostKey; set vendorData to a snippet that installs the guest agent " +
      "(scripts/guest/vendor-data.yaml), through which the host key is learnt, or set hostKey";
    problem(["guest", "vendorData"], message);
  }
  const { disks, placement } = guest;
  if (disks !== undefined) {
    const roots = disks.filter((disk) => disk.mountPoint === "/");
    if (disks.length !== 2 || roots.length !== 1 || roots[0]?.persistent) {
      const message =
        'must be two: a root disk (mountPoint "/", persistent: false) and a persistent data disk';
      problem(["guest", "disks"], message);
    }
    disks.forEach((disk, index) => {
      if (disk.sizeMiB % 1024 !== 0) {
        problem(
          ["guest", "disks", index, "sizeMiB"],
          "must be a multiple of 1024: Proxmox sizes disks in GiB",
        );
      }
      const ours = disk.mountPoint === "/var/lib/hermes-guest";
      if (disk.persistent && (ours || !/^\/(srv|mnt|var\/lib)\/[^/]+$/.test(disk.mountPoint))) {
        const message =
          "must lie directly below /srv, /mnt or /var/lib: mounted elsewhere it would hide the system";
        problem(["guest", "disks", index, "mountPoint"], message);
      }
    });
  }
  if (placement?.cleared && (placement.clearedOn === undefined || placement.clearedBy === undefined)) {
    problem(["guest", "placement"], "cleared needs clearedOn (a date) and clearedBy (a name)");
  }
}
