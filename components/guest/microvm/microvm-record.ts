import * as pulumi from "@pulumi/pulumi";
import type { MicrovmGuestSettings } from "../../config/microvm-guest.ts";

type Disk = MicrovmGuestSettings["disks"][number];

export interface MicrovmRecordArgs {
  readonly hostname: string;
  /** The NixOS host: how it is dialled, and its SSH host key. */
  readonly host: { readonly name: string; readonly key: string };
  readonly disks: readonly Disk[];
  /** SHA-256 of each file of the guest's flake, by name. */
  readonly files: Readonly<Record<string, string>>;
}

interface Inputs extends MicrovmRecordArgs {
  /** What the change comes to; only in a preview, and not kept. */
  readonly effect?: string;
}

/**
 * What was last activated, so that the next preview can tell what a change does, without a connection: whether the
 * guest is rebuilt and restarts, and what cannot be changed. It makes nothing anywhere.
 */
export class MicrovmRecord extends pulumi.dynamic.Resource {
  declare readonly effect: pulumi.Output<string | undefined>;

  constructor(name: string, args: MicrovmRecordArgs, options?: pulumi.CustomResourceOptions) {
    super(recordProvider(), name, { ...args, effect: undefined }, options, "hermes", "MicrovmRecord");
  }
}

interface Problem {
  readonly property: string;
  readonly reason: string;
}

/** The provider is serialised into the state: it closes over nothing but this function. Exported for tests. */
export function recordProvider(): pulumi.dynamic.ResourceProvider<Inputs, Inputs> {
  /** Why the disks cannot become others: microvm.nix makes an image when it is missing and never touches it again. */
  function diskProblems(olds: readonly Disk[], news: readonly Disk[]): string[] {
    return olds.flatMap((old) => {
      const now = news.find((disk) => disk.name === old.name);
      const key = `hermes:guest.disks (${old.name})`;
      if (now === undefined) {
        if (!old.persistent) return [];
        return [
          `${key} is missing: it holds what must outlive the guest, and without it Hermes would start on nothing. Put it back; ` +
            "to give the data up, destroy the stack with onDestroy: delete-data",
        ];
      }
      if (old.persistent !== now.persistent) {
        return [
          `${key}: persistent was ${old.persistent} and cannot become ${now.persistent}: the image would be looked for in another folder, and a blank one made`,
        ];
      }
      const instead = news.find((disk) => disk.mountPoint === old.mountPoint && disk.name !== old.name);
      if (old.persistent && instead !== undefined) {
        return [
          `${key}: ${old.mountPoint} would be the disk ${instead.name}, and Hermes would find another one where its data was. ` +
            "Leave each disk where it is mounted",
        ];
      }
      if (old.sizeMiB === now.sizeMiB || now.grownFromMiB === old.sizeMiB) return [];
      const refused = `${key}: sizeMiB was ${old.sizeMiB} and cannot become ${now.sizeMiB}: images are never resized. `;
      return [
        now.sizeMiB > old.sizeMiB
          ? `${refused}Keep ${old.sizeMiB}; or grow the image by hand (docs/nixos-host.md, "Grow a disk"), then set grownFromMiB: ${old.sizeMiB} beside the new size`
          : `${refused}Keep ${old.sizeMiB}${old.persistent ? "" : "; or, since it holds nothing to keep, give the disk another name: a new image is made for it"}`,
      ];
    });
  }

  function problems(olds: Inputs, news: Inputs): Problem[] {
    if (olds.hostname !== news.hostname) {
      const reason =
        `hermes:guest.hostname was ${olds.hostname} and cannot become ${news.hostname}: unit, state folder and images are called by it, ` +
        "and the new guest would start without the data of the old. Keep the name; or destroy the stack (the images stay), move the images, and deploy anew";
      return [{ property: "hostname", reason }];
    }
    // Either of them alone: another way to the same machine, or a new key of it.
    if (olds.host !== undefined && olds.host.name !== news.host.name && olds.host.key !== news.host.key) {
      const reason =
        `hermes:ssh.host was ${olds.host.name} and cannot become ${news.host.name}, which has another host key: the guest on ${olds.host.name} would run on, ` +
        "with the data, beside an empty one of the same address. Destroy the stack (the images stay), move the images to the other host, and deploy anew";
      return [{ property: "host", reason }];
    }
    return diskProblems(olds.disks, news.disks).map((reason) => ({ property: "disks", reason }));
  }

  function effectOf(olds: Inputs | undefined, news: Inputs): string | undefined {
    if (olds === undefined) return `${news.hostname} will be built, started, and waited for`;
    const names = [...new Set([...Object.keys(olds.files), ...Object.keys(news.files)])];
    const changed = names.filter((name) => olds.files[name] !== news.files[name]).sort();
    if (changed.length === 0) return undefined;
    return `${news.hostname}: a rebuild with restart, since ${changed.join(", ")} will change; Hermes is away while the guest boots`;
  }

  function kept({ hostname, host, disks, files }: Inputs): Inputs {
    return { hostname, host, disks, files };
  }

  return {
    async check(olds, news) {
      // Of a resource that is new the engine gives no old inputs, or empty ones.
      const before = olds?.hostname === undefined ? undefined : olds;
      const failures = before === undefined ? [] : problems(before, news);
      if (failures.length > 0) return { failures };
      const effect = effectOf(before, news);
      return { inputs: effect === undefined ? kept(news) : { ...kept(news), effect } };
    },
    async diff(_id, olds, news) {
      return { changes: JSON.stringify(kept(olds)) !== JSON.stringify(kept(news)) };
    },
    async create(inputs) {
      return { id: inputs.hostname, outs: kept(inputs) };
    },
    async update(_id, _olds, news) {
      return { outs: kept(news) };
    },
  };
}
