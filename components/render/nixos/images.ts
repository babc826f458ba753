import type { MicrovmGuestSettings } from "../../config/microvm-guest.ts";
import { guestFolder } from "./host-paths.ts";

/** The image of a disk, on the host. */
export interface Image {
  /** Name of the disk and label of its file system. */
  readonly name: string;
  /** Absolute, or relative to the guest's state folder /var/lib/microvms/HOSTNAME. */
  readonly path: string;
  readonly mountPoint: string;
  readonly sizeMiB: number;
  readonly persistent: boolean;
}

/** The images of a guest. Those of persistent disks stand outside of the state folder, whose removal they outlive. */
export function images(guest: MicrovmGuestSettings): Image[] {
  return guest.disks.map(({ name, mountPoint, sizeMiB, persistent }) => {
    const file = `${name}.img`;
    const path = persistent ? `${guestFolder(guest.hostname)}/images/${file}` : file;
    return { name, path, mountPoint, sizeMiB, persistent };
  });
}
