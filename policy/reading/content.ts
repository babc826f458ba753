/** What the readers find in a resource's properties and in the texts that they carry. Gates judge this, not text. */

/** Stands for a value that nobody knows yet: an output in a preview, or a word that only the running shell knows. */
export const UNKNOWN: unique symbol = Symbol("unknown");
export type Known<T> = T | typeof UNKNOWN;

/** Anything that stands at a place. `at` leads a person there: `stdin › /etc/containers/systemd/hermes.container › Image`. */
export interface Placed {
  readonly at: string;
}

/** How a text is to be read. `script` is a program in another language than the shell's; `prose` is not read at all. */
export type Format =
  | "shell"
  | "unit"
  | "yaml"
  | "json"
  | "nix"
  | "script"
  | "environment"
  | "fstab"
  | "cron"
  | "containerfile"
  | "prose";

/** A text that something in the guest (or the deploying machine) will read. */
export interface Text extends Placed {
  readonly text: string;
  /** Default: found out from `path` and from the text itself. */
  readonly format?: Format | undefined;
  /** Where the text ends up as a file, as far as that is known. */
  readonly path?: string | undefined;
  /** The file may be run: without a shebang, by a shell. */
  readonly executable?: boolean | undefined;
  /** It could not be unpacked: what is here is not what it says. */
  readonly packed?: boolean | undefined;
}

/** A command as it is started: wrappers (`sudo`, `env`, `timeout`, …) are taken off, words are unquoted. */
export interface Command extends Placed {
  /** First the program as it was written (`/usr/bin/tailscale`), then its arguments. */
  readonly words: readonly Known<string>[];
  /** Variables set for this command alone: `env A=1 …`, `A=1 …`. */
  readonly environment: Readonly<Record<string, Known<string>>>;
  /** What the command reads from a here-document, a here-string or `echo … |`, where that is known. */
  readonly input?: Known<string>;
}

/** A key and its value in something structured: properties, YAML, JSON, a unit, Nix, an environment. */
export interface Setting extends Placed {
  /** From the outermost key inwards; an index of a list is a key like `0`. */
  readonly path: readonly string[];
  /** Leaves only: what is composite shows as the settings below it, an empty composite as `{}` or `[]`. */
  readonly value: Known<Leaf>;
}
export type Leaf = string | number | boolean | null | Readonly<Record<string, never>> | readonly never[];

export type MountKind = "bind" | "volume" | "tmpfs" | "anonymous" | "image" | "other";

/** A mount of a container. */
export interface Mount extends Placed {
  readonly kind: Known<MountKind>;
  /** Path in the guest of a bind, name of a named volume. */
  readonly source?: Known<string>;
  readonly target: Known<string>;
  readonly readOnly: Known<boolean>;
  /** Other options, as they were written: `type=nfs`, `U`, `volume-opt=…`. */
  readonly options: readonly string[];
}

/** A container that gets started, or an image that gets pulled for one, in whatever notation. */
export interface Launch extends Placed {
  /** A component's args: what is unknown there is known before anything is made. In a text it stays unknown. */
  readonly component?: true;
  /** Undefined: it takes its image from elsewhere. */
  readonly image?: Known<string>;
  /** `pull` only fetches an image: there is nothing to say of its mounts. */
  readonly verb: "run" | "pull";
  readonly network?: Known<string>;
  readonly environment: Readonly<Record<string, Known<string>>>;
  readonly mounts: readonly Mount[];
  /** Published ports as they were written: `8080:80`, `all` for `--publish-all`. */
  readonly ports: readonly Known<string>[];
  /** What takes the container's walls down, as it was written: `--privileged`, `--pid=host`, `--cap-add=ALL`. */
  readonly privileges: readonly string[];
  /** Arguments to the image's entry point. Where the launch names an entry point of its own, its words come first. */
  readonly command: readonly Known<string>[];
}

/** A mount of a file system in the guest: `mount -t`, fstab, a mount unit, a Nix `fileSystems`, a microvm share or volume. */
export interface FileSystem extends Placed {
  readonly mountPoint: Known<string>;
  /** `ext4`, `nfs`, `virtiofs`; undefined where it is not said. */
  readonly type?: Known<string>;
  readonly device?: Known<string>;
}

/** Everything that is found in a text, or in a resource. */
export interface Content {
  readonly texts: readonly Text[];
  readonly commands: readonly Command[];
  readonly settings: readonly Setting[];
  readonly launches: readonly Launch[];
  readonly fileSystems: readonly FileSystem[];
  /** Places of texts that are not read, or not to their end: too much, nested too deep. Nobody knows what they say. */
  readonly unread: readonly string[];
}

/** Reads a text of one format. Texts that it finds inside are read in their turn. Never throws, whatever the text. */
export type Reader = (text: Text) => Partial<Content>;
