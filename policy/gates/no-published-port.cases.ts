import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";
import { dropIn, file, nix, part, quadlet, remote, snippet } from "../testing/notations.ts";

const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";

const container = (more: object): Case["resources"] => [
  { type: "hermes:index:HermesContainer", props: { image: IMAGE, network: "host", ...more } },
];
const run = (options: string) => remote(`podman run -d ${options} ${IMAGE} gateway run`);
const compose = (ports: string) =>
  file("/srv/compose.yaml", `services:\n  hermes:\n    image: ${IMAGE}\n    ports:\n${ports}\n`);
const kube = (port: string) =>
  file(
    "/srv/pod.yaml",
    `kind: Pod\nspec:\n  containers:\n    - image: ${IMAGE}\n      ports:\n        - ${port}\n`,
  );
const other = (port: string): Case["resources"] =>
  file(
    "/srv/compose.yaml",
    `services:\n  db:\n    image: docker.io/library/postgres:17.5\n    ports: ['${port}']\n`,
  );
const loopback = { allowLoopback: true };

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "a container on the guest's network", resources: container({}) },
    { title: "a container whose network is not known yet", resources: container({ network: unknown }) },
    { title: "an empty list of ports", resources: container({ ports: [] }) },
    { title: "a component's ports that are not known yet", resources: container({ ports: unknown }) },
    { title: "podman run without a port", resources: run("--network host --env PORTS=-p80:80") },
    { title: "a port that the image names and nobody publishes", resources: run("--expose 9119") },
    {
      title: "arguments behind the image that look like a port",
      resources: remote(`podman run ${IMAGE} -p 80:80`),
    },
    {
      title: "a port in a comment and in prose",
      resources: remote("# podman run -p 80:80\necho 'use -p 80:80'"),
    },
    { title: "a Quadlet unit on the guest's network", resources: quadlet(`Image=${IMAGE}`, "Network=host") },
    {
      title: "a Quadlet unit whose ports were taken back",
      resources: quadlet("PublishPort=80:80", "PublishPort="),
    },
    { title: "the container port of a pod", resources: kube("containerPort: 9119") },
    ...["127.0.0.1:5432:5432", "[::1]:5432:5432"].map((port) => ({
      title: `${port} of another service`,
      resources: other(port),
    })),
    {
      title: "another component with a network of its own",
      resources: [{ type: "x:y:Z", props: { network: "lan" } }],
    },
    ...["127.0.0.1:9119:9119", "127.10.20.30:9119:9119", "[::1]:9119:9119"].map((port) => ({
      title: `${port} where loopback is allowed`,
      resources: run(`-p '${port}'`),
      settings: loopback,
    })),
  ],
  refuses: [
    ...[
      "-p 9119:9119",
      "-p9119:9119",
      "-p=9119:9119",
      "-dp 9119:9119",
      "--publish 9119",
      "--publish=127.0.0.1:9119:9119",
      "-P",
      "-dP",
      "--publish-all=true",
      '-p "$PORT"',
    ].map((options) => ({ title: `podman run ${options}`, resources: run(options) })),
    {
      title: "a port, with the place, the value and the fix",
      resources: run("-p 9119:9119"),
      says: ["it: create publishes the port 9119:9119.", "host networking"],
    },
    {
      title: "a port that only a variable names",
      resources: run('-p "$PORT"'),
      says: ["it: create publishes a port that a variable names"],
    },
    {
      title: "every port, with the place",
      resources: run("-P"),
      says: ["it: create publishes every port that the image names."],
    },
    {
      title: "a component on a network of its own",
      resources: container({ network: "bridge" }),
      says: ['it: network is "bridge", which is not the guest\'s own'],
    },
    {
      title: "a component with both",
      resources: container({ network: "bridge", ports: ["9119:9119"] }),
      says: ["it: ports publishes", "it: network is"],
    },
    { title: "a component without a network", resources: container({ network: undefined }) },
    { title: "a secret network", resources: container({ network: secret("slirp4netns") }) },
    {
      title: "a component's ports beside an unknown value",
      resources: container({ ports: ["9119:9119"], environment: unknown }),
      says: ["it: ports publishes the port 9119:9119."],
    },
    { title: "a component's other spelling", resources: container({ publish: ["9119:9119"] }) },
    {
      title: "docker behind sudo and a shell",
      resources: remote(`sudo sh -c 'docker run -p 80:80 ${IMAGE}'`),
    },
    { title: "a pod's port", resources: remote("podman pod create -p 9119:9119 hermes") },
    { title: "a Quadlet unit", resources: quadlet(`Image=${IMAGE}`, "PublishPort=9119:9119") },
    { title: "a Quadlet unit's own podman options", resources: quadlet("PodmanArgs=-p 9119:9119") },
    { title: "a Quadlet drop-in", resources: dropIn("PublishPort=9119:9119") },
    {
      title: "a Quadlet pod",
      resources: file("/etc/containers/systemd/h.pod", "[Pod]\nPublishPort=9119:9119\n"),
    },
    {
      title: "a unit in the project's own payload",
      resources: part("/etc/containers/systemd/hermes.container", "[Container]\nPublishPort=9119:9119\n"),
    },
    {
      title: "a service that runs podman",
      resources: file(
        "/etc/systemd/system/h.service",
        `[Service]\nExecStart=/usr/bin/podman run -p 80:80 ${IMAGE}\n`,
      ),
    },
    { title: "a compose file's short port", resources: compose('      - "9119:9119"') },
    {
      title: "a compose file's long port",
      resources: compose("      - target: 9119\n        published: 9119"),
    },
    { title: "a pod's hostPort", resources: kube("{ containerPort: 9119, hostPort: 9119 }") },
    {
      title: "a command of cloud-init, as a list and as a text",
      resources: snippet({ runcmd: [["podman", "run", "-p", "80:80", IMAGE]] }),
    },
    {
      title: "a NixOS container",
      resources: nix(
        `virtualisation.oci-containers.containers.h = { image = "${IMAGE}"; ports = [ "80:80" ]; };`,
      ),
    },
    {
      title: "a NixOS container's extra options",
      resources: nix(
        `virtualisation.oci-containers.containers.h = { image = "${IMAGE}"; extraOptions = [ "-p80:80" ]; };`,
      ),
    },
    ...[
      "0.0.0.0:9119:9119",
      "127.0.0.1.evil:9119:9119",
      "1127.0.0.1:9119:9119",
      "9119:127.0.0.1:9119",
      "127.0.0:1:1",
    ].map((port) => ({
      title: `${port} also where loopback is allowed`,
      resources: run(`-p ${port}`),
      settings: loopback,
    })),
    ...["5432:5432", "0.0.0.0:80:80", "127.0.0.1.evil:1:1"].map((port) => ({
      title: `${port} of another service`,
      resources: other(port),
    })),
    {
      title: "a port on the loopback of a container whose image a variable names",
      resources: remote('podman run -p 127.0.0.1:80:80 "$IMAGE"'),
    },
    {
      title: "a pod's port on the loopback",
      resources: remote("podman pod create -p 127.0.0.1:9119:9119 hermes"),
    },
    { title: "an unknown port where loopback is allowed", resources: run('-p "$PORT"'), settings: loopback },
  ],
};
