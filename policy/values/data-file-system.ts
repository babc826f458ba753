import type { Problem } from "../pack/gate.ts";
import { guestsOf, neighbours } from "../pack/guests.ts";
import type { Resource, Stack } from "../pack/resource.ts";
import type { FileSystem } from "../reading/content.ts";
import { DATA, isKnown, normalised, within } from "../reading/launches.ts";
import { disksOf, mountPointOf, sourcesOf } from "./data-disk.ts";
import { isDisposable, isPassing, isUnfitFileSystem } from "./data-mount.ts";

interface Settings {
  readonly disposable: readonly string[];
  readonly sources: readonly string[];
}

/** A file system that loses data, at its mount point, with the reason as a sentence. */
interface Unfit {
  readonly at: string;
  readonly mountPoint: string;
  readonly reason: string;
}

/** A file system that is mounted where the data lies, above it with nothing nearer, or below it. */
export function unfitFileSystems(resource: Resource, settings: Settings, stack: Stack): Problem[] {
  const { disposable } = settings;
  const near = () => neighbours(resource, stack);
  const all = () => [
    ...settings.sources,
    ...near()
      .flatMap(sourcesOf)
      .map(({ source }) => source),
  ];
  const holds = (mountPoint: string, source: string) =>
    within(source, mountPoint) && normalised(mountPoint).length === nearest(source, resource, stack);
  const isPart = (mountPoint: string, source: string) =>
    within(mountPoint, source) && !isDisposable(mountPoint, source, disposable);

  const here = unfitOf(resource).flatMap(({ at, mountPoint, reason }) =>
    all().flatMap((source): Problem[] => {
      if (holds(mountPoint, source))
        return [{ at, message: `holds ${source}, where ${DATA} lies: ${reason}` }];
      return isPart(mountPoint, source)
        ? [{ at, message: `is a part of ${source}, where ${DATA} lies: ${reason}` }]
        : [];
    }),
  );
  // Those of other resources were held against what was bound before them.
  const elsewhere = sourcesOf(resource).flatMap(({ at, source }) =>
    near()
      .filter((other) => other !== resource)
      .flatMap(unfitOf)
      .flatMap(({ mountPoint, reason }): Problem[] => {
        if (holds(mountPoint, source))
          return [{ at, value: source, message: `lies on ${mountPoint}: ${reason}` }];
        return isPart(mountPoint, source)
          ? [{ at, value: source, message: `has a part on ${mountPoint}: ${reason}` }]
          : [];
      }),
  );
  return [...here, ...elsewhere];
}

/** Length of the longest mount point above `source`, of file systems and of the guests' disks. */
function nearest(source: string, resource: Resource, stack: Stack): number {
  const mounted = neighbours(resource, stack).flatMap(({ content }) => content.fileSystems);
  const disks = guestsOf(resource, stack).flatMap(disksOf);
  return [...mounted.flatMap(mountPointOf), ...disks.flatMap(mountPointOf)]
    .filter((mountPoint) => within(source, mountPoint))
    .reduce((most, mountPoint) => Math.max(most, normalised(mountPoint).length), 0);
}

const unfitOf = ({ content }: Resource): Unfit[] =>
  content.fileSystems.flatMap((fileSystem) => {
    const reason = reasonAgainst(fileSystem);
    return reason === undefined
      ? []
      : mountPointOf(fileSystem).map((mountPoint) => ({ at: fileSystem.at, mountPoint, reason }));
  });

/** `none` is the type of a bind. */
function reasonAgainst({ type, device }: FileSystem): string | undefined {
  if (!isKnown(type)) return undefined;
  if (isUnfitFileSystem(type)) return `the file system ${type} loses or damages SQLite's databases`;
  const passes = type === "none" && isKnown(device) && isPassing(device);
  return passes ? `it is a bind of ${device}, where nothing lasts` : undefined;
}
