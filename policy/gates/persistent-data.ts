import type { Gate, Problem } from "../pack/gate.ts";
import type { Resource, Stack } from "../pack/resource.ts";
import type { Launch } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { DATA, isComponent, isKnown, mayBeHermes, normalised, within } from "../reading/launches.ts";
import { sourcesOffDisk, sourcesWithoutDisk } from "../values/data-disk.ts";
import { unfitFileSystems } from "../values/data-file-system.ts";
import { shownMount, unfitMount } from "../values/data-mount.ts";

interface Settings {
  readonly disposable: readonly string[];
  readonly sources: readonly string[];
}

/** `podman run IMAGE version` keeps nothing, nor does a program that only looks at a file of the image. */
const KEEPS_NOTHING = /^((--)?(version|help)|-[hV]|(.*\/)?(cat|ls|id))$/;

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
    ...unfitFileSystems(resource, settings, stack),
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
  const known = isKnown(launch.image) && !keepsNothing(launch);
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

/** The image starts Hermes with its arguments, which may begin with `hermes` itself. */
function keepsNothing({ command: [first, second] }: Launch): boolean {
  return KEEPS_NOTHING.test(String(/(^|\/)hermes$/.test(String(first)) ? second : first));
}

function ofGuest(guest: Resource, stack: Stack): Problem[] {
  const folders = sourcesWithoutDisk(guest, stack).map(({ source }) => source);
  if (folders.length === 0) return [];
  return [{ at: "disks", message: `hold no persistent one of Hermes' own for ${folders.join(", ")}` }];
}

function ofSources(resource: Resource, stack: Stack): Problem[] {
  const message = "is on no persistent disk of Hermes' own in the guest";
  return sourcesOffDisk(resource, stack).map(({ at, source }) => ({ at, value: source, message }));
}
