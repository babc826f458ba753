import { type Known, UNKNOWN } from "../content.ts";

/** Which options a command knows, by their long names without dashes. */
export interface OptionTable {
  readonly valued: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
  /** Long names of letters, and of names that are spelt in two ways. */
  readonly aliases: ReadonlyMap<string, string>;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const aliases = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(" ").map((pair) => {
      const [from = "", to = ""] = pair.split("=");
      return [from, to] as const;
    }),
  );

/**
 * Of `run`, `create` and `pod create`: podman 6.0 (cmd/podman/common/create.go, netflags.go, cmd/podman/containers,
 * cmd/podman/pods/create.go), docker 29.8 (cli/command/container/opts.go), and of nerdctl what differs.
 */
export const RUN_OPTIONS: OptionTable = {
  valued: names(
    "add-host annotation arch attach authfile blkio-weight blkio-weight-device cap-add cap-drop cert-dir cgroup-conf " +
      "cgroup-parent cgroupns cgroups chrootdirs cidfile conmon-pidfile cpu-count cpu-percent cpu-period cpu-quota " +
      "cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems creds decryption-key detach-keys device " +
      "device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns dns-option " +
      "dns-search domainname entrypoint env env-file env-merge exit-policy expose gidmap gpus group-add group-entry " +
      "health-cmd health-interval health-log-destination health-max-log-count health-max-log-size health-on-failure " +
      "health-retries health-start-interval health-start-period health-startup-cmd health-startup-interval " +
      "health-startup-retries health-startup-success health-startup-timeout health-timeout hostname hosts-file " +
      "hostuser image-volume infra-command infra-conmon-pidfile infra-image infra-name init-ctr init-path " +
      "io-maxbandwidth io-maxiops ip ip6 ipc ipfs-address isolation kernel-memory label label-file link link-local-ip " +
      "log-driver log-opt mac-address memory memory-reservation memory-swap memory-swappiness mount name network " +
      "network-alias oom-score-adj os passwd-entry personality pid pid-file pidfile pids-limit platform pod " +
      "pod-id-file preserve-fd preserve-fds publish pull rdt-class requires restart retry retry-delay runtime " +
      "sdnotify seccomp-policy secret security-opt share shm-size shm-size-systemd signature-policy stop-signal " +
      "stop-timeout storage-opt subgidname subuidname sysctl systemd timeout tmpfs tz uidmap ulimit umask unsetenv " +
      "user userns uts variant verify volume volume-driver volumes-from workdir",
  ),
  flags: names(
    "detach disable-content-trust env-host help http-proxy infra init interactive no-healthcheck no-hostname no-hosts " +
      "oom-kill-disable passwd privileged publish-all quiet read-only read-only-tmpfs replace rm rmi rootfs " +
      "share-parent sig-proxy tls-verify tty unsetenv-all use-api-socket",
  ),
  aliases: aliases(
    "a=attach c=cpu-shares d=detach e=env h=hostname i=interactive l=label m=memory n=name p=publish P=publish-all q=quiet " +
      "t=tty u=user v=volume w=workdir dns-opt=dns-option net=network net-alias=network-alias override-arch=arch " +
      "override-os=os override-variant=variant healthcheck-command=health-cmd healthcheck-interval=health-interval " +
      "healthcheck-retries=health-retries healthcheck-start-period=health-start-period " +
      "healthcheck-timeout=health-timeout",
  ),
};

/** Of `pull`, same sources (cmd/podman/images/pull.go, cli/command/image/pull.go). */
export const PULL_OPTIONS: OptionTable = {
  valued: names(
    "arch authfile cert-dir cosign-key creds decryption-key ipfs-address os platform policy retry retry-delay " +
      "signature-policy snapshotter unpack variant verify",
  ),
  flags: names("all-tags disable-content-trust help quiet tls-verify"),
  aliases: aliases("a=all-tags q=quiet override-arch=arch override-os=os override-variant=variant"),
};

/** Before the subcommand, same sources (cmd/podman/root.go, cli/flags/options.go). */
export const GLOBAL_OPTIONS: OptionTable = {
  valued: names(
    "address bridge-ip cdi-spec-dir cdi-spec-dirs cgroup-manager cni-netconfpath cni-path config conmon connection " +
      "context cpu-profile data-root default-mounts-file events-backend hooks-dir host host-gateway-ip hosts-dir " +
      "identity imagestore log-level max-workers memory-profile module namespace network-backend network-cmd-path " +
      "network-config-dir out pull-option registries-conf root runroot runtime runtime-flag snapshotter ssh " +
      "storage-driver storage-opt tls-ca tls-cert tls-details tls-key tlscacert tlscert tlskey tmpdir url volumepath",
  ),
  flags: names(
    "debug debug-full experimental help insecure-registry noout remote syslog tls tlsverify trace transient-store " +
      "version",
  ),
  aliases: aliases("a=address c=connection D=debug h=help H=host l=log-level n=namespace r=remote v=version"),
};

export interface Option {
  /** Long name without dashes, however it was written. */
  readonly name: string;
  /** `true` for a flag that stands alone. */
  readonly value: Known<string>;
}

export interface OptionWord {
  readonly options: readonly Option[];
  /** How many words it took. */
  readonly length: 1 | 2;
  /** It is in no table and has no `=`: the next word may be its value. */
  readonly unsure: boolean;
}

/** Reads the option at `words[at]` as pflag does: `--name=value`, `--name value`, `-abc`, `-p80:80`, `-p=80:80`. */
export function optionAt(words: readonly Known<string>[], at: number, table: OptionTable): OptionWord {
  const word = words[at];
  if (typeof word !== "string") return { options: [], length: 1, unsure: false };
  const long = (name: string): string => table.aliases.get(name) ?? name;
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = long(word.slice(2, equals < 0 ? undefined : equals));
    if (equals >= 0) return { options: [{ name, value: word.slice(equals + 1) }], length: 1, unsure: false };
    if (table.valued.has(name)) {
      return { options: [{ name, value: words[at + 1] ?? UNKNOWN }], length: 2, unsure: false };
    }
    return { options: [{ name, value: "true" }], length: 1, unsure: !table.flags.has(name) };
  }
  const options: Option[] = [];
  for (let letter = 1; letter < word.length; letter++) {
    const name = long(word.charAt(letter));
    const rest = word.slice(letter + 1);
    if (rest.startsWith("="))
      return { options: [...options, { name, value: rest.slice(1) }], length: 1, unsure: false };
    if (table.valued.has(name)) {
      const value = rest === "" ? (words[at + 1] ?? UNKNOWN) : rest;
      return { options: [...options, { name, value }], length: rest === "" ? 2 : 1, unsure: false };
    }
    if (!table.flags.has(name)) return { options, length: 1, unsure: rest === "" };
    // A letter counts once: a word of a million letters stays cheap.
    if (!options.some((option) => option.name === name)) options.push({ name, value: "true" });
  }
  return { options, length: 1, unsure: false };
}

export interface Operand {
  readonly image: Known<string>;
  readonly rest: readonly Known<string>[];
}

/**
 * Options of `run` up to the image, and every word that may be the image. Usually that is one word. In doubt it is
 * more, so that a moving tag never hides:
 * - After an option that no table knows, the next word is its value unless it looks like an image reference; then it is
 *   reported, and so is each later word that looks like one.
 * - A word that only the shell knows may be options, a value or the image. What stands after it and looks like an image
 *   reference is reported; if nothing does, the image is that unknown word.
 */
export function upToImage(
  words: readonly Known<string>[],
  from: number,
): { readonly options: readonly Option[]; readonly operands: readonly Operand[] } {
  const options: Option[] = [];
  let unknownAt: number | undefined;
  let valueAt: number | undefined;
  let doubt = false;
  let at = from;
  const operand = (index: number): Operand => ({
    image: words[index] ?? UNKNOWN,
    rest: words.slice(index + 1),
  });
  while (at < words.length) {
    const word = words[at];
    if (word === UNKNOWN || word === undefined) {
      unknownAt ??= at;
      doubt = true;
      at++;
    } else if (word === "--") {
      return { options, operands: at + 1 < words.length ? [operand(at + 1)] : [] };
    } else if (word.startsWith("-") && word !== "-") {
      const read = optionAt(words, at, RUN_OPTIONS);
      for (const option of read.options) options.push(option);
      const next = words[at + 1];
      at += read.length;
      if (!read.unsure || typeof next !== "string" || next.startsWith("-")) continue;
      if (looksLikeImage(next)) doubt = true;
      else valueAt ??= at++;
    } else if (!doubt) {
      return { options, operands: [operand(at)] };
    } else if (looksLikeImage(word)) {
      const others = new Set(words.slice(at + 1));
      others.delete(word);
      const alike = [...others].filter((other) => typeof other === "string" && looksLikeImage(other));
      return { options, operands: [operand(at), ...alike.map((image): Operand => ({ image, rest: [] }))] };
    } else at++;
  }
  const last = unknownAt ?? valueAt;
  return { options, operands: last === undefined ? [] : [operand(last)] };
}

/** A reference with a registry, a repository path, a tag or a digest; no port mapping, address, path or URL. */
export function looksLikeImage(word: string): boolean {
  const reference = word.replace(/^docker:\/\//, "");
  return (
    reference.length < 1000 &&
    /^[A-Za-z0-9][\w.:/@+-]*$/.test(reference) &&
    /[:/@]/.test(reference) &&
    !reference.includes("//") &&
    !/^[\d.:/-]+(?:\/(?:tcp|udp))?$/.test(reference)
  );
}
