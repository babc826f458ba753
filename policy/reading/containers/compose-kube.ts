import { type Content, type Known, type Launch, type Mount, type Text, UNKNOWN } from "../content.ts";
import { get, isMembers, items, members, scalar, type Tree } from "../data/payload.ts";
import { each, isTrue, publishedPort, shown } from "./compose.ts";

/** Most nested levels in which a Kubernetes object is looked for: a list of jobs has six. */
const DEEPEST_OBJECT = 12;

/** What Kubernetes objects start, as `podman kube play` and clusters read them; the texts of their ConfigMaps. */
export function kubeContent(tree: Tree, at: string): Partial<Content> {
  const launches: Launch[] = [];
  const texts: Text[] = [];
  const seen = new Set<Tree>();
  const visit = (value: Tree, place: string, depth: number): void => {
    if (depth > DEEPEST_OBJECT || seen.has(value)) return;
    seen.add(value);
    if (isMembers(value)) {
      for (const list of ["initContainers", "containers", "ephemeralContainers"])
        for (const [index, container] of items(get(value, list)).entries()) {
          if (!isMembers(container)) continue;
          launches.push(kubeLaunch(container, value, `${place}.${list}[${index}]`));
        }
      for (const [key, inner] of value.members) visit(inner, `${place}.${key}`, depth + 1);
    } else for (const [index, inner] of items(value).entries()) visit(inner, `${place}[${index}]`, depth + 1);
  };
  if (typeof get(tree, "kind") !== "string") return {};
  visit(tree, `${at} › ${String(get(tree, "kind"))}`, 0);
  if (get(tree, "kind") === "ConfigMap" || get(tree, "kind") === "Secret")
    for (const key of ["data", "stringData"])
      for (const [name, text] of members(get(tree, key))) {
        if (typeof text !== "string") continue;
        const plain =
          key === "data" && get(tree, "kind") === "Secret"
            ? Buffer.from(text, "base64").toString("utf8")
            : text;
        texts.push({ at: `${at} › ${key}.${name}`, text: plain, path: name });
      }
  return { launches, texts };
}

function kubeLaunch(container: Tree, pod: Tree, at: string): Launch {
  const image = scalar(get(container, "image"));
  const security = get(container, "securityContext");
  const variables = items(get(container, "env")).flatMap((entry): [string, Known<string>][] => {
    const name = get(entry, "name");
    if (typeof name !== "string") return [];
    const other = get(entry, "valueFrom") !== undefined;
    return [[name, other ? UNKNOWN : (scalar(get(entry, "value")) ?? "")]];
  });
  return {
    at,
    verb: "run",
    ...(image === undefined ? {} : { image }),
    ...(isTrue(get(pod, "hostNetwork")) ? { network: "host" } : {}),
    environment: Object.fromEntries(variables),
    mounts: items(get(container, "volumeMounts")).map((mount, index) =>
      kubeMount(mount, pod, `${at}.volumeMounts[${index}]`),
    ),
    ports: items(get(container, "ports")).flatMap((port) => {
      const published = scalar(get(port, "hostPort"));
      if (published === undefined || published === "0") return [];
      const [ip, target, protocol] = ["hostIP", "containerPort", "protocol"].map((key) =>
        scalar(get(port, key)),
      );
      return [publishedPort(ip, published, target, protocol)];
    }),
    privileges: [
      ...(isTrue(get(security, "privileged")) ? ["--privileged"] : []),
      ...(isTrue(get(pod, "hostPID")) ? ["--pid=host"] : []),
      ...(isTrue(get(pod, "hostIPC")) ? ["--ipc=host"] : []),
      ...each(get(get(security, "capabilities"), "add")).map((name) => `--cap-add=${shown(name)}`),
      ...(get(get(security, "seccompProfile"), "type") === "Unconfined"
        ? ["--security-opt=seccomp=unconfined"]
        : []),
    ],
    command: [...each(get(container, "command")), ...each(get(container, "args"))],
  };
}

function kubeMount(mount: Tree, pod: Tree, at: string): Mount {
  const name = scalar(get(mount, "name")) ?? UNKNOWN;
  const volume = items(get(pod, "volumes")).find((volume) => get(volume, "name") === name);
  const readOnly = get(mount, "readOnly");
  const common: Omit<Mount, "kind"> = {
    at,
    target: scalar(get(mount, "mountPath")) ?? UNKNOWN,
    readOnly: readOnly === UNKNOWN ? UNKNOWN : isTrue(readOnly),
    options: [],
  };
  const path = get(volume, "hostPath");
  if (path !== undefined) return { ...common, kind: "bind", source: scalar(get(path, "path")) ?? UNKNOWN };
  const empty = get(volume, "emptyDir");
  if (empty !== undefined)
    return { ...common, kind: get(empty, "medium") === "Memory" ? "tmpfs" : "anonymous" };
  if (get(volume, "ephemeral") !== undefined) return { ...common, kind: "anonymous" };
  const claim = get(volume, "persistentVolumeClaim");
  if (claim !== undefined)
    return { ...common, kind: "volume", source: scalar(get(claim, "claimName")) ?? UNKNOWN };
  // The claim templates of a StatefulSet stand outside of the pod.
  if (volume === undefined) return { ...common, kind: "volume", source: name };
  const kinds = members(volume).map(([key]) => key);
  const type = kinds.find((key) => key !== "name");
  return {
    ...common,
    kind: type === "image" ? "image" : "other",
    options: type === undefined ? [] : [`type=${type}`],
  };
}
