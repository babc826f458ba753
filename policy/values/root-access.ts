import { normalised, within } from "../reading/launches.ts";
import { guestPath } from "./guest-path.ts";

/** Sockets of container engines that run as root. A user's own engine listens below /run/user, and 0 is root. */
const SOCKETS = [
  "/run/docker.sock",
  "/run/podman/podman.sock",
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
  "/run/k3s/containerd/containerd.sock",
  "/run/buildkit/buildkitd.sock",
  "/run/user/0",
];
/** A process shows its root and its folder there, and all of /proc shows those of every process. */
const PROCESS = /^\/proc(\/(proc|\d+|self|thread-self|task|root|cwd))*(?=\/|$)/;
/** What root runs or obeys, but for Hermes' own folders and for two files that everybody binds. */
const SYSTEM =
  /^\/(var(\/lib(\/(docker|containers)(\/.*)?)?)?|(boot|usr|bin|sbin|lib\d*)(\/.*)?|root(\/\.(?!hermes).*)?|etc(\/(?!\.?hermes|(localtime|timezone)$).*)?)$/s;

/** Why a bind of `source` makes who writes there root in the guest; undefined when it does not. */
export function rootAccess(source: string, writable: boolean): string | undefined {
  // A path that begins with dots leads from somewhere to the socket.
  const relative = source.startsWith(".");
  const path = relative ? normalised(source) : guestPath(source);
  if (path === undefined) return undefined;
  const real = normalised(path.replace(PROCESS, ""));
  if (isRootSocket(real)) return "is the socket of an engine that runs as root";
  if (relative) return undefined;
  const inside = SOCKETS.find((socket) => within(socket, real));
  if (inside !== undefined) return `holds the socket of an engine that runs as root (${inside})`;
  return writable && SYSTEM.test(real) ? "holds what root runs or obeys, and is writable" : undefined;
}

/** Whether a client with this address (DOCKER_HOST) reaches an engine that runs as root, or another machine's. */
export function reachesRoot(address: string): boolean {
  const path = /^unix:(.*)/s.exec(address)?.[1];
  if (path !== undefined) return isRootSocket(path);
  return address !== "" && !/^ssh:\/\/.*\/run\/user\/[1-9]/.test(address);
}

const isRootSocket = (path: string): boolean => SOCKETS.some((socket) => within(path, socket));
