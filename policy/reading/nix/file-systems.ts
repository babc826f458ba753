import { type FileSystem, type Known, UNKNOWN } from "../content.ts";
import { type Entry, named, scalar, values } from "./entries.ts";
import type { NixSetting } from "./walk.ts";

/** `fileSystems."/x"`, and the shares and volumes of a microvm. */
export function nixFileSystems(settings: readonly NixSetting[], place: string): FileSystem[] {
  const one = (entries: readonly Entry[], key: string): Known<string> | undefined => {
    const [first] = values(entries, key);
    return first && scalar(first);
  };
  const found = (
    prefix: string[],
    read: (entries: Entry[], name: string) => Omit<FileSystem, "at">,
  ): FileSystem[] =>
    [...named(settings, prefix)].map(([name, entries]) => ({
      ...read(entries, lastName(name, entries)),
      at: `${place} › ${name}`,
    }));
  const described = (
    type: Known<string> | undefined,
    device: Known<string> | undefined,
  ): Pick<FileSystem, "type" | "device"> => ({
    ...(type === undefined ? {} : { type }),
    ...(device === undefined ? {} : { device }),
  });
  return [
    ...found(["fileSystems"], (entries, name) => ({
      mountPoint: one(entries, "mountPoint") ?? name,
      ...described(one(entries, "fsType"), one(entries, "device")),
    })),
    ...found(["microvm", "shares"], (entries) => ({
      mountPoint: one(entries, "mountPoint") ?? UNKNOWN,
      // microvm.nix's default.
      ...described(one(entries, "proto") ?? "9p", one(entries, "source")),
    })),
    ...found(["microvm", "volumes"], (entries) => ({
      mountPoint: one(entries, "mountPoint") ?? UNKNOWN,
      ...described("image", one(entries, "image")),
    })),
  ];
}

/** The name itself may have dots in it: `fileSystems."/srv/a.b"`. */
function lastName(name: string, entries: readonly Entry[]): string {
  const [first] = entries;
  if (first === undefined) return name;
  const [keys, { path }] = first;
  return path[path.length - keys.length - 1] ?? name;
}
