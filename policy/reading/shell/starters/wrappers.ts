import type { Known } from "../../content.ts";
import { type OptionStyle, optionValue, readOptions } from "./options.ts";
import { assign, type Starter, startsWords } from "./starter.ts";

/** A program that starts the rest of its words: options, operands, assignments, the program. */
interface Wrapper extends OptionStyle {
  /** Words between the options and the program: the duration of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` may stand before the program. */
  readonly assignments?: boolean;
  /** Options whose value is `NAME=value`. */
  readonly setsVariables?: readonly string[];
  /** Options with which nothing is started. */
  readonly edits?: readonly string[];
  /** Gates want to see the wrapper itself. */
  readonly keep?: boolean;
}

/**
 * Programs that start the rest of their words and change nothing of it. From their manual pages: util-linux, coreutils,
 * sudo, OpenDoas, procps, systemd, strace, moreutils.
 */
const PLAIN: Readonly<Record<string, Wrapper>> = {
  sudo: {
    short: "ugpCDRTrthUac",
    long: "user group prompt host chdir chroot close-from role type command-timeout other-user auth-type login-class",
    assignments: true,
    // sudoedit(8) under another name: its words are files.
    edits: ["-e", "--edit"],
  },
  run0: {
    short: "ugDM",
    long: "unit property description slice user group nice chdir setenv background machine area",
    setsVariables: ["--setenv"],
  },
  "systemd-nspawn": {
    short: "DiMuESpLZ",
    long: "directory image machine user setenv slice port chdir property bind bind-ro tmpfs capability hostname uuid template",
    setsVariables: ["-E", "--setenv"],
    keep: true,
  },
  // How often, a name for it, the program: cloud-init-per(1).
  "cloud-init-per": { operands: 2 },
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
  "systemd-cat": { short: "tp", long: "identifier priority stderr-priority level-prefix namespace" },
  "systemd-inhibit": { long: "what who why mode" },
  "systemd-run": {
    short: "pEuHMC",
    long:
      "property setenv unit host machine capsule slice uid gid nice description service-type working-directory " +
      "on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property path-property " +
      "socket-property background json job-mode",
    setsVariables: ["-E", "--setenv"],
    keep: true,
  },
  chronic: {},
  ifne: {},
  unbuffer: {},
  strace: { short: "abeEIoOpPsSuUX" },
  ltrace: { short: "aeAFlnopsuxX" },
  sshpass: { short: "fdpP", keep: true },
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

/** Starts what follows the options, operands and assignments that the wrapper takes. */
function startingAs(wrapper: Wrapper): Starter {
  const { operands = 0, assignments = false, setsVariables = [], edits = [], keep = false } = wrapper;
  return (start) => {
    const { words } = start;
    const options = readOptions(words, 1, wrapper);
    if (optionValue(options, ...edits) !== undefined) return undefined;
    const environment: Record<string, Known<string>> = { ...start.environment };
    for (const [name, value] of options.given) if (setsVariables.includes(name)) assign(value, environment);
    let next = options.next + operands;
    while (assignments && assign(words[next] ?? "", environment)) next += 1;
    if (words[next] === "--" && next > options.next) next += 1;
    return startsWords({ ...start, environment }, words.slice(next), keep);
  };
}

/** Programs that start the rest of their words. */
export const WRAPPERS: Readonly<Record<string, Starter>> = Object.fromEntries(
  Object.entries(PLAIN).map(([program, wrapper]) => [program, startingAs(wrapper)]),
);
