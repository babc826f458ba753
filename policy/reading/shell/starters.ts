import type { Known } from "../content.ts";
import { type OptionStyle, optionValue, readOptions } from "./options.ts";
import { withInput } from "./preamble.ts";
import { HOLE, known } from "./unknown.ts";

/** A program to be started. `HOLE` stands in its words for what is unknown. */
export interface Start {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, Known<string>>>;
  readonly input?: string;
}

/** A text that a program will run. */
interface Run {
  readonly text: string;
  /** Default: shell. */
  readonly format?: "script";
  readonly parameters?: readonly string[];
  /** Runs elsewhere: variables of this place mean nothing there. */
  readonly remote?: boolean;
  /** Ends up as this file instead. */
  readonly path?: string;
}

/** What a program starts; undefined: nothing but itself. */
export type Starter = (start: Start) =>
  | {
      /** The program itself stays a command. */
      readonly keep: boolean;
      readonly starts?: readonly Start[];
      readonly texts?: readonly Run[];
    }
  | undefined;

/** Commands that one `xargs` or `find` makes. */
const MOST = 16;
const STANDARD_INPUT = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

const inner = (start: Start, words: readonly string[], keep = false): ReturnType<Starter> =>
  words.length > 0
    ? { keep, starts: [{ ...start, words }] }
    : start.input === undefined
      ? undefined
      : { keep: true, texts: [{ text: start.input }] };

const shell: Starter = ({ words, input }) => {
  let text = false;
  let standard = false;
  let next = 1;
  for (; next < words.length; next += 1) {
    const word = words[next] ?? "";
    if (word === "--" || word === "-") {
      next += 1;
      break;
    }
    if (!/^[-+]./.test(word)) break;
    if (word === "--rcfile" || word === "--init-file" || /^[-+][a-zA-Z]*[oO]$/.test(word)) next += 1;
    if (word.startsWith("--")) continue;
    if (word.startsWith("-") && word.includes("c")) text = true;
    if (word.includes("s")) standard = true;
  }
  const rest = words.slice(next);
  if (text) return { keep: true, texts: [{ text: rest[0] ?? "", parameters: rest.slice(2) }] };
  if (input === undefined) return undefined;
  if (standard) return { keep: true, texts: [{ text: input, parameters: rest }] };
  if (rest.length > 0 && !STANDARD_INPUT.test(rest[0] ?? "")) return undefined;
  return { keep: true, texts: [{ text: input, parameters: rest.slice(1) }] };
};

const source: Starter = ({ words, input }) =>
  input !== undefined && STANDARD_INPUT.test(words[1] ?? "")
    ? { keep: true, texts: [{ text: input }] }
    : undefined;

const joined = (start: Start, style: OptionStyle): ReturnType<Starter> => {
  const text = start.words.slice(readOptions(start.words, 1, style).next).join(" ");
  return { keep: true, texts: [{ text }] };
};

const trap: Starter = ({ words }) => {
  const { next } = readOptions(words, 1, {});
  const text = words[next] ?? "";
  return text === "-" || words.length < next + 2 ? undefined : { keep: true, texts: [{ text }] };
};

const SSH: OptionStyle = { short: "BbcDEeFIiJLlmOopPQRSWw" };

const ssh: Starter = ({ words, input }) => {
  const before = readOptions(words, 1, SSH);
  // ssh(1) reads options after the host as well.
  const after = readOptions(words, before.next + 1, SSH);
  const remote = words.slice(after.next).join(" ");
  const texts: Run[] = [];
  for (const [name, value] of [...before.given, ...after.given]) {
    const local = /^\s*(?:Proxy|Local|Remote)Command[\s=]+(.*)$/is.exec(name === "-o" ? value : "");
    if (local !== null) texts.push({ text: local[1] ?? "" });
  }
  if (remote !== "") texts.push({ text: withInput(remote, input), remote: true });
  else if (input !== undefined) texts.push({ text: input, remote: true });
  return { keep: true, texts };
};

const su: Starter = (start) => {
  const { words, input } = start;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const long = /^--(?:session-)?command(?:=([\s\S]*))?$/.exec(word);
    if (long !== null) return { keep: true, texts: [{ text: long[1] ?? words[at + 1] ?? "" }] };
    const short = /^-[a-zA-Z]*?c([\s\S]*)$/.exec(word);
    if (short !== null && !word.startsWith("--")) {
      return { keep: true, texts: [{ text: short[1] === "" ? (words[at + 1] ?? "") : (short[1] ?? "") }] };
    }
  }
  return input === undefined ? undefined : { keep: true, texts: [{ text: input }] };
};

const runuser: Starter = (start) => {
  const options = readOptions(start.words, 1, {
    short: "ugGswTc",
    long: "user group supp-group shell command",
  });
  const user = optionValue(options, "-u", "--user") !== undefined;
  return user ? inner(start, start.words.slice(options.next)) : su(start);
};

/** `env -S`: blanks separate, quotes and backslashes hold together. */
function splitString(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g)) {
    words.push(
      match[0]
        .replace(/\\_/g, " ")
        .replace(/"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g, (_all, double, single, bare) =>
          double === undefined ? (single ?? bare) : String(double).replace(/\\(["\\$])/g, "$1"),
        ),
    );
  }
  return words;
}

const env: Starter = (start) => {
  const style: OptionStyle = { short: "uCSa", long: "unset chdir split-string argv0", dash: true };
  let words = start.words;
  const environment: Record<string, Known<string>> = { ...start.environment };
  for (let again = 0; again < 8; again += 1) {
    const { given, next } = readOptions(words, 1, style);
    // What follows `-S` may hold options of its own.
    const split = given.findIndex(([name]) => name === "-S" || name === "--split-string");
    words =
      split < 0 ? words.slice(next) : ["env", ...splitString(given[split]?.[1] ?? ""), ...words.slice(next)];
    if (split < 0) break;
  }
  for (const [index, word] of words.entries()) {
    const match = /^([^=\s]+)=/.exec(word);
    if (match === null) return inner({ ...start, environment }, words.slice(index));
    environment[match[1] ?? ""] = known(word.slice(match[0].length));
  }
  return undefined;
};

const commandBuiltin: Starter = (start) => {
  const { given, next } = readOptions(start.words, 1, {});
  // `command -v x` looks for x and starts nothing.
  return given.some(([name]) => /^-[vV]$/.test(name)) ? undefined : inner(start, start.words.slice(next));
};

const flock: Starter = (start) => {
  const { words } = start;
  const { given, next } = readOptions(words, 1, {
    short: "wEc",
    long: "timeout wait conflict-exit-code command",
  });
  const early = given.find(([name]) => name === "-c" || name === "--command")?.[1];
  if (early !== undefined) return { keep: true, texts: [{ text: early }] };
  if (/^(-c|--command)$/.test(words[next + 1] ?? ""))
    return { keep: true, texts: [{ text: words[next + 2] ?? "" }] };
  const from = words[next + 1] === "--" ? next + 2 : next + 1;
  return words.length > from ? inner(start, words.slice(from)) : undefined;
};

const xargs: Starter = (start) => {
  const options = readOptions(start.words, 1, {
    short: "IELsnPad",
    long: "arg-file delimiter max-args max-procs max-chars process-slot-var",
  });
  const words = start.words.slice(options.next);
  const program = words.length === 0 ? ["echo"] : words;
  const { input, ...rest } = start;
  const separator = optionValue(options, "-d", "--delimiter");
  const marker = optionValue(options, "-I") ?? optionValue(options, "-i", "--replace");
  const items =
    input === undefined || input.includes(HOLE)
      ? undefined
      : optionValue(options, "-0", "--null") !== undefined
        ? input.split("\0")
        : separator !== undefined
          ? input.replace(/\n$/, "").split(separator === "\\n" ? "\n" : separator)
          : input.split(marker === undefined ? /\s+/ : "\n").filter((item) => item !== "");
  const starts: Start[] = [];
  if (marker === undefined) {
    starts.push({
      ...rest,
      words: [...program, ...(items ?? [HOLE]).map((item) => item.replace(/^(["'])(.*)\1$/, "$2"))],
    });
  } else {
    for (const item of (items ?? [HOLE]).slice(0, MOST)) {
      starts.push({ ...rest, words: program.map((word) => word.split(marker || "{}").join(item)) });
    }
  }
  return { keep: false, starts };
};

const find: Starter = ({ words, environment }) => {
  const starts: Start[] = [];
  for (let at = 0; at < words.length && starts.length < MOST; at += 1) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at] ?? "")) continue;
    const end = words.findIndex(
      (word, index) => index > at && (word === ";" || (word === "+" && words[index - 1] === "{}")),
    );
    const inside = words.slice(at + 1, end < 0 ? words.length : end);
    starts.push({ environment, words: inside.map((word) => word.replaceAll("{}", HOLE)) });
    at += inside.length;
  }
  return { keep: true, starts };
};

const parallel: Starter = ({ words, environment }) => {
  const { next } = readOptions(words, 1, {
    short: "jPSNnLIaC",
    long: "jobs sshlogin max-args arg-file colsep delay timeout joblog",
  });
  const mark = words.findIndex((word, index) => index >= next && /^:::\+?$/.test(word));
  const program = words.slice(next, mark < 0 ? words.length : mark);
  const items = mark < 0 ? [HOLE] : words.slice(mark + 1, mark + 1 + MOST);
  if (program.length === 0) return { keep: true, texts: items.map((text) => ({ text })) };
  const some = program.some((word) => word.includes("{}"));
  const starts = items.map((item) => ({
    environment,
    words: some ? program.map((word) => word.replaceAll("{}", item)) : [...program, item],
  }));
  // GNU parallel hands each line to a shell.
  return {
    keep: true,
    starts,
    texts: starts
      .filter(({ words: line }) => line.length < 3)
      .map(({ words: line }) => ({ text: line.join(" ") })),
  };
};

const watch: Starter = (start) => {
  const style: OptionStyle = { short: "nqs", long: "interval equexit shotsdir" };
  const options = readOptions(start.words, 1, style);
  if (optionValue(options, "-x", "--exec") !== undefined)
    return inner(start, start.words.slice(options.next), true);
  return joined(start, style);
};

const script: Starter = ({ words }) => {
  for (let at = 1; at < words.length; at += 1) {
    const match = /^(?:-[a-zA-Z]*c|--command=?)([\s\S]*)$/.exec(words[at] ?? "");
    if (match !== null)
      return { keep: true, texts: [{ text: match[1] === "" ? (words[at + 1] ?? "") : (match[1] ?? "") }] };
  }
  return undefined;
};

/** After the word `exec`: options, as many names as `operands` says, the program. */
function execAfter(start: Start, from: number, style: OptionStyle): ReturnType<Starter> {
  const options = readOptions(start.words, from, style);
  const latest = optionValue(options, "-l", "--latest") !== undefined;
  const environment: Record<string, Known<string>> = { ...start.environment };
  for (const [name, value] of options.given) {
    const match = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(name === "-e" || name === "--env" ? value : "");
    if (match !== null) environment[match[1] ?? ""] = known(match[2] ?? "");
  }
  let next = options.next + (latest ? 0 : (style.operands ?? 0));
  if (start.words[next] === "--") next += 1;
  const { input, ...rest } = start;
  return inner(
    { ...rest, environment, ...(input === undefined ? {} : { input }) },
    start.words.slice(next),
    true,
  );
}

const container: Starter = (start) => {
  const { words } = start;
  const global: OptionStyle = {
    short: "cHln",
    long:
      "connection url identity log-level root runroot storage-driver storage-opt host context config tlscacert tlscert tlskey " +
      "namespace address tmpdir cgroup-manager conmon runtime volumepath ssh hooks-dir network-config-dir module",
  };
  let at = readOptions(words, 1, global).next;
  if (words[at] === "container") at += 1;
  if (words[at] === "compose") {
    at = readOptions(words, at + 1, {
      short: "fp",
      long: "file project-name profile env-file project-directory ansi",
    }).next;
  }
  if (words[at] !== "exec") return undefined;
  return execAfter(start, at + 1, {
    short: "euw",
    long: "env env-file user workdir detach-keys preserve-fd index",
    operands: 1,
  });
};

/** `pct exec 101 -- …`, `qm guest exec 101 -- …`, `lxc exec name -- …`, `kubectl exec pod -- …`, `ip netns exec ns …`. */
const execWord: Starter = (start) => {
  const at = start.words.indexOf("exec");
  if (at < 0) return undefined;
  const end = start.words.indexOf("--", at);
  if (end > 0) return inner(start, start.words.slice(end + 1), true);
  return execAfter(start, at + 1, {
    short: "cn",
    long: "env cwd user group timeout container namespace",
    operands: 1,
  });
};

const nix: Starter = (start) => {
  const { words } = start;
  const run = words.indexOf("run");
  if (run > 0 && run < 4) {
    const end = words.indexOf("--", run);
    const installable = words.slice(run + 1).find((word) => !word.startsWith("-")) ?? "";
    // `nix run nixpkgs#tailscale -- …` starts the program of that name.
    const program = installable.slice(installable.indexOf("#") + 1).replace(/^.*\./, "");
    return { keep: true, starts: [{ ...start, words: [program, ...(end < 0 ? [] : words.slice(end + 1))] }] };
  }
  const at = words.findIndex((word) => word === "-c" || word === "--command");
  return at < 0 ? undefined : inner(start, words.slice(at + 1), true);
};

const nixShell: Starter = ({ words }) => {
  const at = words.findIndex((word) => word === "--run" || word === "--command");
  return at < 0 ? undefined : { keep: true, texts: [{ text: words[at + 1] ?? "" }] };
};

const loader: Starter = (start) => {
  const { next } = readOptions(start.words, 1, {
    long: "library-path preload audit argv0 inhibit-rpath glibc-hwcaps-prepend",
  });
  return start.words.length > next ? inner(start, start.words.slice(next)) : undefined;
};

const startStopDaemon: Starter = (start) => {
  const { words } = start;
  const options = readOptions(words, 1, {
    short: "xapucngdrRNIPk",
    long: "exec startas pidfile user name chuid group chdir chroot retry nicelevel procsched iosched umask signal",
  });
  const program = optionValue(options, "-a", "--startas") ?? optionValue(options, "-x", "--exec");
  return program === undefined ? undefined : inner(start, [program, ...words.slice(options.next)], true);
};

const otherLanguage: Starter = ({ words, input }) => {
  const at = words.findIndex(
    (word, index) => index > 0 && /^-[a-zA-Z]*[cerE]$|^--(eval|print|run)$/.test(word),
  );
  if (at > 0) return { keep: true, texts: [{ text: words[at + 1] ?? "", format: "script" }] };
  const operand = words.slice(1).find((word) => !/^-./.test(word));
  if (input === undefined || (operand !== undefined && !STANDARD_INPUT.test(operand))) return undefined;
  return { keep: true, texts: [{ text: input, format: "script" }] };
};

const crontab: Starter = ({ words, input }) =>
  input !== undefined && words.slice(1).some((word) => STANDARD_INPUT.test(word))
    ? { keep: true, texts: [{ text: input, path: "/var/spool/cron/crontabs/root" }] }
    : undefined;

const later: Starter = ({ input }) =>
  input === undefined ? undefined : { keep: true, texts: [{ text: input }] };

const applet: Starter = (start) => (start.words.length > 1 ? inner(start, start.words.slice(1)) : undefined);

/** Programs that start others in ways of their own. */
export const SPECIAL: Readonly<Record<string, Starter>> = {
  sh: shell,
  bash: shell,
  dash: shell,
  ash: shell,
  zsh: shell,
  ksh: shell,
  mksh: shell,
  rbash: shell,
  ".": source,
  source,
  eval: (start) => joined(start, {}),
  trap,
  ssh,
  autossh: ssh,
  su,
  runuser,
  env,
  command: commandBuiltin,
  busybox: applet,
  toybox: applet,
  flock,
  xargs,
  find,
  fd: find,
  parallel,
  watch,
  script,
  podman: container,
  docker: container,
  nerdctl: container,
  "docker-compose": (start) => container({ ...start, words: ["docker", "compose", ...start.words.slice(1)] }),
  "podman-compose": (start) => container({ ...start, words: ["podman", "compose", ...start.words.slice(1)] }),
  ip: execWord,
  pct: execWord,
  qm: execWord,
  lxc: execWord,
  incus: execWord,
  kubectl: execWord,
  machinectl: (start) => {
    const at = start.words.indexOf("shell");
    return at < 0
      ? undefined
      : execAfter(start, at + 1, { short: "E", long: "uid setenv machine", operands: 1 });
  },
  nix,
  "nix-shell": nixShell,
  "ld.so": loader,
  "start-stop-daemon": startStopDaemon,
  python: otherLanguage,
  crontab,
  at: later,
  batch: later,
};
