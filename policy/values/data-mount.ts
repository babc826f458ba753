import type { Mount } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { DATA, isKnown, normalised, within } from "../reading/launches.ts";
import { guestPath } from "./guest-path.ts";

/** Folders that are emptied at a boot, or by podman and docker when they clean up their images. */
const PASSING = [
  "/tmp",
  "/var/tmp",
  "/run",
  "/dev",
  "/proc",
  "/sys",
  "/var/cache",
  "/var/lib/containers",
  "/var/lib/docker",
];
/** A user's own image store, wherever the home is. */
const IMAGE_STORE = /\/\.local\/share\/(containers|docker)(\/|$)/;
/** File systems that lose or corrupt a database in WAL mode (hermes-agent#110848, #22032), or that do not last. */
const UNFIT =
  /^(virtiofs|9p|nfs\d?|cifs|smb\d?|smbfs|fuse(\..+)?|sshfs|ceph|glusterfs|afs|tmpfs|ramfs|overlay|aufs)$/i;

/** Why a mount at or below /opt/data does not keep what is written there; undefined when it does. */
export function unfitMount(
  { kind, source, target, readOnly, options }: Mount,
  disposable: readonly string[],
): string | undefined {
  if (target === UNKNOWN || isDisposable(target, DATA, disposable)) return undefined;
  // Nothing can be written into a single file that is laid over the folder.
  if (readOnly === true) return normalised(target) === DATA ? "is read-only" : undefined;
  if (kind === "tmpfs") return "is memory and is lost when the container stops";
  if (kind === "anonymous") return "is a volume without a name and goes with the container";
  if (kind === "volume") return "is a volume in the image store and goes when that is cleaned up";
  if (kind === "image" || kind === "other") return "is no bind of a folder that lasts";
  if (options.includes("O")) return "is an overlay and throws changes away";
  if (kind === UNKNOWN || source === UNKNOWN) return undefined;
  const path = source === undefined ? undefined : guestPath(source);
  if (path === undefined) return "binds no absolute path";
  return isPassing(path) ? "lies where nothing lasts" : undefined;
}

/** Whether `path` is, or lies in, a folder of `whole` that may be lost. */
export function isDisposable(path: string, whole: string, disposable: readonly string[]): boolean {
  return disposable.some((folder) => within(path, `${normalised(whole)}/${folder}`));
}

/** Whether what lies at this path of the guest goes at a boot or when images are cleaned up. */
export function isPassing(path: string): boolean {
  const plain = normalised(path);
  return plain === "/" || IMAGE_STORE.test(plain) || PASSING.some((folder) => within(plain, folder));
}

export const isUnfitFileSystem = (type: string): boolean => UNFIT.test(type);

/** A mount as `source:target:kind`, for a message. */
export const shownMount = ({ source, target, kind }: Mount): string =>
  [source, target, kind === "bind" ? undefined : kind].filter(isKnown).join(":");
