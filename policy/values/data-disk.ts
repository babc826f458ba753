import { guestsOf } from "../pack/guests.ts";
import type { Resource, Stack, Value, Values } from "../pack/resource.ts";
import { UNKNOWN } from "../reading/content.ts";
import { DATA, isKnown, normalised, within } from "../reading/launches.ts";
import { isValues } from "../reading/sources.ts";
import { guestPath } from "./guest-path.ts";

/** A folder of the guest that a container binds at /opt/data, with its place. */
export interface Source {
  readonly at: string;
  readonly source: string;
}

/** Mount points that the whole system shares: a disk there is not Hermes' own. */
const SHARED = ["/", "/var", "/var/lib"];

export function sourcesOf({ content }: Resource): Source[] {
  return content.launches.flatMap(({ mounts }) =>
    mounts.flatMap(({ at, target, source }) => {
      const path = isKnown(source) ? guestPath(source) : undefined;
      return path === undefined || target === UNKNOWN || normalised(target) !== DATA
        ? []
        : [{ at, source: path }];
    }),
  );
}

/** Folders of a resource that lie on no persistent disk of one of the guests that it may be in. */
export function sourcesOffDisk(resource: Resource, stack: Stack): Source[] {
  return sourcesOf(resource).filter(({ source }) =>
    guestsOf(resource, stack).some((guest) => !keeps(guest, source)),
  );
}

/** The same from the guest's side: what comes later must not turn out worse. */
export function sourcesWithoutDisk(guest: Resource, stack: Stack): Source[] {
  return stack.all.flatMap((other) =>
    sourcesOf(other).filter(({ source }) => !keeps(guest, source) && guestsOf(other, stack).includes(guest)),
  );
}

export function disksOf({ props: { disks } }: Resource): Values[] {
  return ([disks].flat() as readonly Value[]).filter(isValues);
}

/** The mount point of a disk or file system as a list of one, when it is known. */
export const mountPointOf = ({ mountPoint }: { readonly mountPoint?: Value }): string[] =>
  [mountPoint].filter((path) => typeof path === "string").filter((path) => path.startsWith("/"));

/** Whether the nearest disk under `source` is a persistent one; also when that may still turn out. */
function keeps(guest: Resource, source: string): boolean {
  const given = guest.props["disks"];
  if (given === UNKNOWN || (Array.isArray(given) && given.includes(UNKNOWN))) return true;
  const lasting = disksOf(guest).filter(({ persistent }) => persistent === true || persistent === UNKNOWN);
  if (lasting.some(({ mountPoint }) => mountPoint === UNKNOWN)) return true;
  const [nearest] = disksOf(guest)
    .flatMap((disk) => mountPointOf(disk).map((mountPoint) => ({ disk, path: normalised(mountPoint) })))
    .filter(({ path }) => within(source, path))
    .toSorted((a, b) => b.path.length - a.path.length);
  return nearest !== undefined && lasting.includes(nearest.disk) && !SHARED.includes(nearest.path);
}
