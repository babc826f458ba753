import type { Known } from "../../content.ts";
import { type OptionStyle, optionValue, readOptions } from "./options.ts";
import { assign, type Start, type Started, type Starter, startsWords } from "./starter.ts";

/** After the word `exec`: options, the name of a container (none with `--latest`), the program. */
function afterExec(start: Start, from: number, style: OptionStyle): Started | undefined {
  const { words } = start;
  const options = readOptions(words, from, style);
  const environment: Record<string, Known<string>> = { ...start.environment };
  for (const [name, value] of options.given) {
    if (name === "-e" || name === "--env") assign(value, environment);
  }
  let next = options.next + (optionValue(options, "-l", "--latest") === undefined ? 1 : 0);
  if (words[next] === "--") next += 1;
  return startsWords({ ...start, environment }, words.slice(next), true);
}

/** The options that Podman, Docker and nerdctl take before the subcommand. */
const CONTAINER_GLOBAL: OptionStyle = {
  short: "cHln",
  long:
    "connection url identity log-level root runroot storage-driver storage-opt host context config tlscacert tlscert tlskey " +
    "namespace address tmpdir cgroup-manager conmon runtime volumepath ssh hooks-dir network-config-dir module",
};
const COMPOSE_GLOBAL: OptionStyle = {
  short: "fp",
  long: "file project-name profile env-file project-directory ansi",
};

const container: Starter = (start) => {
  const { words } = start;
  let at = readOptions(words, 1, CONTAINER_GLOBAL).next;
  if (words[at] === "container") at += 1;
  if (words[at] === "compose") at = readOptions(words, at + 1, COMPOSE_GLOBAL).next;
  if (words[at] !== "exec") return undefined;
  return afterExec(start, at + 1, {
    short: "euw",
    long: "env env-file user workdir detach-keys preserve-fd index",
  });
};

/** `docker-compose …` is `docker compose …`. */
const compose: Starter = (start) =>
  container({ ...start, words: ["docker", "compose", ...start.words.slice(1)] });

/** `pct exec 101 -- …`, `qm guest exec 101 -- …`, `lxc exec name -- …`, `kubectl exec pod -- …`, `ip netns exec ns …`. */
const exec: Starter = (start) => {
  const at = start.words.indexOf("exec");
  if (at < 0) return undefined;
  const end = start.words.indexOf("--", at);
  if (end > 0) return startsWords(start, start.words.slice(end + 1), true);
  return afterExec(start, at + 1, {
    short: "cn",
    long: "env cwd user group timeout container namespace",
  });
};

const machinectl: Starter = (start) => {
  const at = start.words.indexOf("shell");
  return at < 0 ? undefined : afterExec(start, at + 1, { short: "E", long: "uid setenv machine" });
};

const nix: Starter = (start) => {
  const { words } = start;
  const run = words.indexOf("run");
  // A few options may stand before the subcommand; a later `run` is an argument.
  if (run > 0 && run < 4) {
    const end = words.indexOf("--", run);
    const installable = words.slice(run + 1).find((word) => !word.startsWith("-")) ?? "";
    // `nix run nixpkgs#tailscale -- …` starts the program of that name.
    const program = installable.slice(installable.indexOf("#") + 1).replace(/^.*\./, "");
    return { keep: true, starts: [{ ...start, words: [program, ...(end < 0 ? [] : words.slice(end + 1))] }] };
  }
  const at = words.findIndex((word) => word === "-c" || word === "--command");
  return at < 0 ? undefined : startsWords(start, words.slice(at + 1), true);
};

/** Programs that start another one in a container, a guest, a namespace or an environment of packages. */
export const ELSEWHERE: Readonly<Record<string, Starter>> = {
  podman: container,
  docker: container,
  nerdctl: container,
  "docker-compose": compose,
  "podman-compose": compose,
  ip: exec,
  pct: exec,
  qm: exec,
  lxc: exec,
  incus: exec,
  kubectl: exec,
  machinectl,
  nix,
};
