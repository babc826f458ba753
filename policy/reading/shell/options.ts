/** How a program reads the words before those that matter. */
export interface OptionStyle {
  /** Letters of the short options that take a value: `-u root`, `-uroot`. */
  readonly short?: string;
  /** Long options that take the next word as their value when there is no `=`. */
  readonly long?: string;
  /** Words between the options and the program: the duration of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` may stand before the program. */
  readonly assignments?: boolean;
  /** A lone `-` is an option. */
  readonly dash?: boolean;
}

export interface Options {
  /** By name as written, `-u` or `--user`; the value is empty for a flag. */
  readonly given: ReadonlyArray<readonly [name: string, value: string]>;
  /** Index of the first word that is no option. */
  readonly next: number;
}

/** Reads options from `from` on, as getopt does without permuting: the first other word ends them. */
export function readOptions(words: readonly string[], from: number, style: OptionStyle): Options {
  const given: [string, string][] = [];
  const long = style.long === undefined ? [] : style.long.split(" ");
  let next = from;
  for (; next < words.length; next += 1) {
    const word = words[next] ?? "";
    if (word === "--") return { given, next: next + 1 };
    if (!word.startsWith("-") || (word === "-" && !style.dash)) break;
    if (word.startsWith("--")) {
      const equals = word.indexOf("=");
      const name = equals < 0 ? word : word.slice(0, equals);
      if (equals >= 0) given.push([name, word.slice(equals + 1)]);
      else if (takesValue(name, long)) {
        next += 1;
        given.push([name, words[next] ?? ""]);
      } else given.push([name, ""]);
      continue;
    }
    for (let at = 1; at < word.length; at += 1) {
      const letter = word.charAt(at);
      if (!style.short?.includes(letter)) {
        given.push([`-${letter}`, ""]);
        continue;
      }
      const attached = word.slice(at + 1);
      if (attached === "") next += 1;
      given.push([`-${letter}`, attached === "" ? (words[next] ?? "") : attached]);
      break;
    }
  }
  return { given, next: Math.min(next, words.length) };
}

/** Flags that would pass for the beginning of an option with a value: `--login` of sudo's `--login-class`. */
const FLAGS = new Set(["--login", "--detach", "--start"]);

/** getopt takes any beginning of a long option for the whole. */
const takesValue = (name: string, long: readonly string[]): boolean =>
  long.some(
    (each) =>
      each === name.slice(2) || (name.length > 3 && !FLAGS.has(name) && each.startsWith(name.slice(2))),
  );

/** Value of the last of these options. */
export const optionValue = (options: Options, ...names: readonly string[]): string | undefined =>
  options.given.findLast(([name]) => names.includes(name))?.[1];

/**
 * Programs that start the rest of their words and change nothing of it. From their manual pages: util-linux, coreutils,
 * sudo, OpenDoas, procps, systemd, strace, moreutils.
 */
export const WRAPPERS: Readonly<Record<string, OptionStyle>> = {
  sudo: {
    short: "ugpCDRTrthUac",
    long: "user group prompt host chdir chroot close-from role type command-timeout other-user auth-type login-class",
    assignments: true,
  },
  doas: { short: "uCa" },
  pkexec: { long: "user" },
  nohup: {},
  setsid: {},
  nice: { short: "n", long: "adjustment" },
  ionice: { short: "cnpPu", long: "class classdata pid" },
  timeout: { short: "ks", long: "kill-after signal", operands: 1 },
  time: { short: "fo", long: "format output" },
  exec: { short: "a" },
  builtin: {},
  coproc: {},
  stdbuf: { short: "ioe", long: "input output error" },
  chrt: { short: "TPD", long: "sched-runtime sched-period sched-deadline", operands: 1 },
  taskset: { operands: 1 },
  prlimit: { short: "po", long: "pid output" },
  numactl: { short: "ilmNCpP", long: "interleave localalloc membind cpunodebind physcpubind preferred" },
  unshare: {
    short: "SGRw",
    long: "setuid setgid root wd propagation setgroups map-user map-group map-users map-groups",
  },
  nsenter: { short: "tSGW", long: "target setuid setgid wdns" },
  chroot: { long: "userspec groups", operands: 1 },
  setpriv: {
    long:
      "reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile " +
      "ruid rgid euid egid",
  },
  runuser: { short: "ugGswT", long: "user group supp-group shell whitelist-environment" },
  "systemd-cat": { short: "tp", long: "identifier priority stderr-priority level-prefix namespace" },
  "systemd-inhibit": { long: "what who why mode" },
  "systemd-run": {
    short: "pEuHMC",
    long:
      "property setenv unit host machine capsule slice uid gid nice description service-type working-directory " +
      "on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property path-property " +
      "socket-property background json job-mode",
  },
  chronic: {},
  ifne: {},
  unbuffer: {},
  strace: { short: "abeEIoOpPsSuUX" },
  ltrace: { short: "aeAFlnopsuxX" },
  sshpass: { short: "fdpP" },
  fakeroot: { short: "lsbi", long: "lib faked" },
  eatmydata: {},
  torsocks: {},
  proxychains: { short: "f" },
  proxychains4: { short: "f" },
  firejail: {},
  "dbus-run-session": { long: "config-file dbus-daemon" },
  "xvfb-run": { short: "efnps" },
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  cgexec: { short: "g" },
  tini: { short: "ep" },
  "dumb-init": { short: "r" },
  catatonit: {},
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  setuidgid: { operands: 1 },
};

/** Those that gates want to see themselves. */
export const KEPT: ReadonlySet<string> = new Set(["systemd-run", "sshpass"]);
