import type { Gate, Problem } from "../pack/gate.ts";
import type { Known, Launch, Mount, Setting } from "../reading/content.ts";
import { isComponent, isKnown, mayBeHermes, normalised, within } from "../reading/launches.ts";
import { breaksOut } from "../values/container-privileges.ts";
import { guestPath } from "../values/guest-path.ts";

/** Sockets of container engines that run as root. A user's own engine listens below /run/user. */
const SOCKETS = [
  "/run/docker.sock",
  "/run/podman/podman.sock",
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
];

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
      .flatMap(ofLaunch),
    ...content.settings.flatMap(ofToolSetting),
    ...(content.launches.some(mayBeHermes) ? content.settings.flatMap(ofVariable) : []),
  ],
};

function ofLaunch(launch: Launch): Problem[] {
  const at = isComponent(launch) ? "" : `${launch.at} › `;
  return [
    ...launch.mounts.flatMap(ofMount),
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

function ofMount({ at, kind, source }: Pick<Mount, "at" | "kind" | "source">): Problem[] {
  const message = kind === "tmpfs" || kind === "anonymous" ? undefined : holdsSocket(source);
  return message === undefined ? [] : [{ at, value: source, message }];
}

function holdsSocket(source: Known<string> | undefined): string | undefined {
  if (!isKnown(source)) return undefined;
  // A path that begins with dots leads from somewhere to the socket.
  const relative = source.startsWith(".");
  const path = relative ? normalised(source) : guestPath(source);
  if (path === undefined) return undefined;
  // Every process shows its root there.
  const real = normalised(path.replace(/^\/proc\/(\d+|self)\/root/, ""));
  if (SOCKETS.includes(real)) return "is the socket of an engine that runs as root";
  const inside = SOCKETS.find((socket) => within(socket, real));
  if (relative || inside === undefined) return undefined;
  return `holds the socket of an engine that runs as root (${inside})`;
}

function reachesRoot(address: string): boolean {
  const path = /^unix:\/\/(\/.*)/s.exec(address)?.[1];
  if (path !== undefined) return SOCKETS.includes(normalised(path));
  return /^(tcp|https?|ssh):\/\/(?!.*\/run\/user\/)/.test(address);
}

/** A variable in a file beside the container, which may take it from there; not one of a shell that starts it. */
function ofVariable({ at, value }: Setting): Problem[] {
  const inFile = ENGINES.some((name) => at.endsWith(` › ${name}`));
  if (!inFile || !reachesRoot(String(value))) return [];
  return [{ at, value, message: "is an engine that runs as root" }];
}

/** `terminal.docker_extra_args` and `terminal.docker_volumes` of Hermes' own config.yaml: the sandbox of its tools. */
function ofToolSetting({ at, path, value }: Setting): Problem[] {
  const [section, key] = path.slice(-3);
  if (section !== "terminal" || typeof value !== "string") return [];
  if (key === "docker_extra_args" && breaksOut(value))
    return [{ at, value, message: "removes the sandbox's isolation" }];
  const message = key === "docker_volumes" ? holdsSocket(value.split(":")[0]) : undefined;
  return message === undefined ? [] : [{ at, value, message }];
}
