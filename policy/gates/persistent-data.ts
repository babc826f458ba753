import type { Gate, Problem } from "../pack/gate.ts";
import { guestsOf, neighbours } from "../pack/guests.ts";
import type { Resource, Stack, Value, Values } from "../pack/resource.ts";
import type { FileSystem, Launch } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { DATA, isComponent, isKnown, mayBeHermes, normalised, within } from "../reading/launches.ts";
import { isValues } from "../reading/sources.ts";
import { isDisposable, isPassing, isUnfitFileSystem, shownMount, unfitMount } from "../values/data-mount.ts";
import { guestPath } from "../values/guest-path.ts";

interface Settings {
  readonly disposable: readonly string[];
  readonly sources: readonly string[];
}

/** Mount points that the whole system shares: a disk there is not Hermes' own. */
const SHARED = ["/", "/var", "/var/lib"];
/** `podman run IMAGE version` keeps nothing. */
const KEEPS_NOTHING = /^(--)?(version|help)$/;

/** What Hermes remembers lies on a disk of its own that outlives the container and the guest. */
export const persistentData: Gate<Settings> = {
  id: "persistent-data",
  title: "Persistent /opt/data",
  level: "mandatory",
  reason: "Memories, sessions, skills and credentials live in /opt/data and cannot be made again.",
  remediation: "Bind the mount point of a persistent disk with a local file system at /opt/data, writable.",
  config: {
    defaults: {
      disposable: ["cache", ".cache", "caches", "logs", "sandboxes", "tmp"],
      sources: ["/var/lib/hermes"],
    },
    properties: {
      disposable: {
        type: "array",
        items: { type: "string" },
        description: "Folders below /opt/data that may be lost.",
      },
      sources: {
        type: "array",
        items: { type: "string" },
        description: "Folders of the guest that hold /opt/data, besides those that containers bind.",
      },
    },
  },
  check: (resource, settings, stack) => [
    ...resource.content.launches.flatMap((launch) => ofLaunch(launch, resource, settings)),
    ...ofFileSystems(resource, settings, stack),
    ...(resource.type === "hermes:index:HermesGuest" ? ofGuest(resource, stack) : ofSources(resource, stack)),
  ],
};

function ofLaunch(launch: Launch, { content }: Resource, { disposable }: Settings): Problem[] {
  if (launch.verb !== "run" || !mayBeHermes(launch)) return [];
  const component = isComponent(launch);
  const place = component ? DATA : `${launch.at} › ${DATA}`;
  const mounts = launch.mounts.filter(({ target }) => target === UNKNOWN || within(target, DATA));
  // A component's unknown values are known before it is registered for good; those of a text never are.
  const whole = mounts.some(({ target }) => (target === UNKNOWN ? component : normalised(target) === DATA));
  // A unit may take its image from another unit. A drop-in, or what only a variable names, need not be all there is.
  const unit = content.texts.some(
    ({ at, path }) => path?.endsWith(".container") && launch.at === `${at} › [Container]`,
  );
  const known = isKnown(launch.image) && !KEEPS_NOTHING.test(String(launch.command[0]));
  const complete = component || unit || known;
  const message = mounts.length > 0 ? "is mounted in part, or only if a variable says so" : "is not mounted";
  const missing = complete && !whole ? [{ at: place, message }] : [];
  const problems = mounts.flatMap((mount) => {
    const { at, source, target } = mount;
    const left = !component && source === UNKNOWN && target !== UNKNOWN && normalised(target) === DATA;
    const reason = unfitMount(mount, disposable) ?? (left ? "is a folder that a variable names" : undefined);
    if (reason === undefined) return [];
    return [{ at: at === launch.at ? place : at, value: shownMount(mount), message: reason }];
  });
  return [...missing, ...problems];
}

/** The folders of the guest that are bound at /opt/data, each with its place. */
function sourcesOf({ content }: Resource): { at: string; source: string }[] {
  return content.launches.flatMap(({ mounts }) =>
    mounts.flatMap(({ at, target, source }) => {
      const path = isKnown(source) ? guestPath(source) : undefined;
      return path === undefined || target === UNKNOWN || normalised(target) !== DATA
        ? []
        : [{ at, source: path }];
    }),
  );
}

/** A file system that is mounted where the data lies, above it with nothing nearer, or below it. */
function ofFileSystems(resource: Resource, { sources, disposable }: Settings, stack: Stack): Problem[] {
  const own = sourcesOf(resource).map(({ source }) => source);
  const { fileSystems } = resource.content;
  // Stryker disable next-line all: it only saves time
  if (own.length === 0 && fileSystems.length === 0) return [];
  const near = neighbours(resource, stack);
  const mounted = near.flatMap(({ content }) => content.fileSystems);
  const disks = guestsOf(resource, stack).flatMap(disksOf).flatMap(mountPointOf);
  const bound = new Set([...sources, ...near.flatMap(sourcesOf).map(({ source }) => source)]);
  return [...bound].flatMap((source) => {
    const nearest = [...mounted.flatMap(mountPointOf), ...disks]
      .filter((mountPoint) => within(source, mountPoint))
      .reduce((most, mountPoint) => Math.max(most, normalised(mountPoint).length), 0);
    return mounted.flatMap((fileSystem): Problem[] => {
      const mine = fileSystems.includes(fileSystem);
      const [mountPoint] = mountPointOf(fileSystem);
      if (mountPoint === undefined || !losesData(fileSystem)) return [];
      // Stryker disable next-line all: another resource's were refused there
      if (!mine && !own.includes(source)) return [];
      const holds = within(source, mountPoint) && normalised(mountPoint).length === nearest;
      const part = within(mountPoint, source) && !isDisposable(mountPoint, source, disposable);
      if (!holds && !part) return [];
      const message = `loses or damages SQLite's databases, and ${source}, which holds ${DATA}, is on it`;
      return [{ at: mine ? fileSystem.at : source, value: fileSystem.type, message }];
    });
  });
}

/** `none` is the type of a bind. */
const losesData = ({ type, device }: FileSystem): boolean =>
  isKnown(type) && (isUnfitFileSystem(type) || (type === "none" && isKnown(device) && isPassing(device)));

const mountPointOf = ({ mountPoint }: { readonly mountPoint?: Value }): string[] =>
  [mountPoint].filter((path) => typeof path === "string").filter((path) => path.startsWith("/"));

/** Each container is held against every guest that it may be in: what comes later must not turn out worse. */
function ofGuest(guest: Resource, stack: Stack): Problem[] {
  const missing = neighbours(guest, stack)
    .filter((other) => guestsOf(other, stack).includes(guest))
    .flatMap(sourcesOf)
    .filter(({ source }) => !keeps(guest, source));
  if (missing.length === 0) return [];
  const message = `hold no persistent one of Hermes' own for ${missing.map(({ source }) => source).join(", ")}`;
  return [{ at: "disks", message }];
}

function ofSources(resource: Resource, stack: Stack): Problem[] {
  const guests = guestsOf(resource, stack);
  return sourcesOf(resource)
    .filter(({ source }) => guests.some((guest) => !keeps(guest, source)))
    .map(({ at, source }) => ({
      at,
      value: source,
      message: "is on no persistent disk of Hermes' own in the guest",
    }));
}

function disksOf({ props: { disks } }: Resource): Values[] {
  return ([disks].flat() as readonly Value[]).filter(isValues);
}

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
