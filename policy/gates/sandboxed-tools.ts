import type { Gate, Problem } from "../pack/gate.ts";
import { program, typed } from "../reading/argv.ts";
import type { Command, Content, Known, Launch, Mount, Setting } from "../reading/content.ts";
import { isComponent, isKnown, mayBeHermes } from "../reading/launches.ts";
import { breaksOut } from "../values/container-privileges.ts";
import { reachesRoot, rootAccess } from "../values/root-access.ts";

/** Variables by which clients find an engine. */
const ENGINES = ["DOCKER_HOST", "CONTAINER_HOST"];

/** What the agent runs cannot become root in the guest. */
export const sandboxedTools: Gate = {
  id: "sandboxed-tools",
  title: "Agent tools sandboxed",
  level: "mandatory",
  reason:
    "The agent runs commands that it reads on the internet; with a root engine's socket or a privileged container each of them is root in the guest.",
  remediation:
    "Give Hermes the socket of a rootless engine (/run/user/UID/podman/podman.sock), and no privileges.",
  check: ({ content }) => [
    // A drop-in that adds to a unit names no image.
    ...content.launches
      .filter((launch) => launch.image === undefined || mayBeHermes(launch))
      .flatMap((launch) => ofLaunch(launch, content)),
    ...[...content.settings, ...content.commands.flatMap(madeBy)].flatMap(ofToolSetting),
    ...(content.launches.some(mayBeHermes) ? content.settings.flatMap(ofVariable) : []),
  ],
};

function ofLaunch(launch: Launch, content: Content): Problem[] {
  const at = isComponent(launch) ? "" : `${launch.at} › `;
  return [
    ...launch.mounts.flatMap((mount) => ofMount(mount, content)),
    ...launch.privileges
      .filter(breaksOut)
      .map((privilege) => ({ at: `${at}${privilege}`, message: "removes the container's isolation" })),
    ...ENGINES.flatMap((name) => {
      const address = launch.environment[name];
      if (!isKnown(address) || !reachesRoot(address)) return [];
      return [
        { at: `${at}environment › ${name}`, value: address, message: "is an engine that runs as root" },
      ];
    }),
  ];
}

function ofMount({ at, kind, source, readOnly, options }: Mount, { fileSystems }: Content): Problem[] {
  if (kind === "tmpfs" || kind === "anonymous") return [];
  // A volume may stand for a folder.
  const devices = fileSystems.filter(({ mountPoint }) => mountPoint === source).map(({ device }) => device);
  const given = options.map((option) => /^(?:volume-opt=)?device=(.*)/s.exec(option)?.[1]);
  const paths: readonly (Known<string> | undefined)[] = [source, ...devices, ...given];
  return paths.filter(isKnown).flatMap((path) => {
    const message = rootAccess(path, readOnly === false);
    return message === undefined ? [] : [{ at, value: path, message }];
  });
}

/** A variable in a file beside the container, which may take it from there; not one of a shell that starts it. */
function ofVariable({ at, value }: Setting): Problem[] {
  const inFile = ENGINES.some((name) => at.endsWith(` › ${name}`));
  if (!inFile || typeof value !== "string" || !reachesRoot(value)) return [];
  return [{ at, value, message: "is an engine that runs as root" }];
}

/** `hermes config set terminal.docker_extra_args '["--privileged"]'` as the setting that it makes. */
function madeBy(command: Command): Setting[] {
  const [, config, set, key, ...values] = command.words;
  const sets = program(command) === "hermes" && config === "config" && set === "set";
  if (!sets || typeof key !== "string") return [];
  return values.map((value) => ({ at: `${command.at} › ${typed(command)}`, path: [key], value }));
}

/** `terminal.docker_extra_args` and `terminal.docker_volumes` of Hermes' own config.yaml: the sandbox of its tools. */
function ofToolSetting({ at, path, value }: Setting): Problem[] {
  const key = /(^|\.)terminal\.(docker_extra_args|docker_volumes)(\.|$)/.exec(path.join("."))?.[2];
  if (key === undefined || typeof value !== "string") return [];
  // One option, or all of them in one text, which may be a list.
  const words = value.split(/[\s[\]"'],?[\s"']*/);
  if (key === "docker_extra_args")
    return optionsOf(words).some(breaksOut)
      ? [{ at, value, message: "removes the sandbox's isolation" }]
      : [];
  return words.flatMap((volume) => {
    const [source, , mode] = volume.split(":");
    const message = rootAccess(String(source), !/^(.*,)?ro(,|$)/.test(String(mode)));
    return message === undefined ? [] : [{ at, value, message }];
  });
}

/** `--cap-add ALL` as `--cap-add=ALL`. */
const optionsOf = (words: readonly string[]): string[] =>
  words.map((word, index) => {
    const next = words[index + 1] ?? "";
    return word.includes("=") || next.startsWith("-") ? word : `${word}=${next}`;
  });
