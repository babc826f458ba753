import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";
import { dropIn, file, local, nix, part, quadlet, remote, snippet } from "../testing/notations.ts";

const NAME = "docker.io/nousresearch/hermes-agent";
const DIGEST = `sha256:${"a".repeat(64)}`;

const container = (image: unknown, more: object = {}): Case["resources"] => [
  { type: "hermes:index:HermesContainer", props: { image, ...more } },
];
const kube = (image: string) =>
  file("/srv/pod.yaml", `kind: Pod\nspec:\n  containers:\n    - image: ${image}\n`);
const nixImage = (image: string) => nix(`virtualisation.oci-containers.containers.hermes.image = ${image};`);

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    ...[
      `${NAME}:v2026.7.20`,
      `${NAME}:v2026.8.16.2`,
      `${NAME}:v0.22.0`,
      `${NAME}:v2026.7.20@${DIGEST}`,
      `${NAME}:v2026.10.5`,
      `${NAME}:v2026.12.30.12`,
      `${NAME}:v10.22.0`,
      `${NAME}:v0.22.10`,
      "registry.lan:5000/hermes:v1.2.3",
      "registry.lan:65535/a--b/c_d.e:v1.2.3",
      `docker.io/${"a".repeat(238)}:v1.2.3`,
      "localhost/hermes:v1.2.3",
      "registry:5000/hermes:v1.2.3",
    ].map((image) => ({ title: image, resources: container(image) })),
    { title: "an image that is not known yet", resources: container(unknown) },
    { title: "a Quadlet unit with a release tag", resources: quadlet(`Image=${NAME}:v2026.7.20`) },
    {
      title: "a Quadlet unit that takes its image from another unit",
      resources: quadlet("Image=hermes.image"),
    },
    {
      title: "podman run of a release tag",
      resources: remote(`podman run --rm ${NAME}:v2026.7.20 version`),
    },
    { title: "a pull of what a variable names", resources: remote('podman pull "$IMAGE"') },
    { title: "a command that only mentions a moving tag", resources: remote(`echo "never ${NAME}:latest"`) },
    {
      title: "another image whose release tags were described",
      resources: remote("podman run docker.io/library/caddy:2.8.4"),
      settings: { otherTags: { "docker.io/library/caddy": "\\d+\\.\\d+\\.\\d+" } },
    },
    {
      title: "a registry by its address, as docker:// has it",
      resources: remote(`podman run docker://${NAME}:v2026.7.20`),
    },
    { title: "a Quadlet drop-in without an image", resources: dropIn("Environment=IMAGE=x:latest") },
    {
      title: "a variable that is named like a tag",
      resources: remote("latest=1 podman ps --filter tag=latest"),
    },
    { title: "a removed image", resources: remote(`podman rmi ${NAME}:latest`) },
    {
      title: "a compose file",
      resources: file("/srv/compose.yaml", `services:\n  a:\n    image: ${NAME}:v0.22.0\n`),
    },
    { title: "a pod", resources: kube(`${NAME}:v2026.7.20`) },
    { title: "a NixOS container", resources: nixImage(`"${NAME}:v2026.7.20"`) },
    {
      title: "another image's digest beside its described tag",
      resources: remote(`podman run docker.io/library/caddy:2.8.4@${DIGEST}`),
      settings: { otherTags: { "docker.io/library/caddy": "\\d+\\.\\d+\\.\\d+" } },
    },
    { title: "another type of resource", resources: [{ type: "x:y:Z", props: { image: "latest" } }] },
  ],
  refuses: [
    { title: "an image without a tag, as such", resources: container("docker.io/a"), says: ["has no tag"] },
    {
      title: "a digest that is none, as such",
      resources: container(`${NAME}:v2026.7.20@sha256:abc`),
      says: ["has a digest that is not sha256:"],
    },
    {
      title: "a short name, as such",
      resources: container("hermes-agent:v2026.7.20"),
      says: ["does not name its registry and repository"],
    },
    ...[
      NAME,
      `${NAME}:latest`,
      `${NAME}:stable`,
      `${NAME}:main`,
      `${NAME}:v2026.7`,
      `${NAME}:v2026.7.20-rc1`,
      `${NAME}:V2026.7.20`,
      `${NAME}:v2026.7.20 `,
      `${NAME}:latest@${DIGEST}`,
      `${NAME}@${DIGEST}`,
      `${NAME}:v2026.7.20@sha256:abc`,
      "registry.lan:v1.2.3/hermes",
      "registry.lan:5000/hermes",
      `${NAME}:rv2026.7.20`,
      `${NAME}:v2026.7.20@x${DIGEST}`,
      `${NAME}:v2026.7.20@${DIGEST}0`,
      `${NAME}:v2026.7.20@${DIGEST}@x`,
      `${NAME}:v2026.7.20:v2026.7.20`,
      "docker.io_x/y/z:v1.2.3",
      "docker.io:65536/z:v1.2.3",
      "docker.io/_x:v1.2.3",
      "docker.io/x_:v1.2.3",
      "localhost:v1.2.3",
      `docker.io/${"a".repeat(239)}:v1.2.3`,
      "hermes-agent:v2026.7.20",
      "nousresearch/hermes-agent:v2026.7.20",
      "-x.y/z:v1.2.3",
      "docker.io/../z:v1.2.3",
      "docker.io:99999/z:v1.2.3",
      `${NAME}:v9999.99.99`,
      `docker.io/${"a".repeat(300)}:v1.2.3`,
      "",
    ].map((image) => ({
      title: `the image ${JSON.stringify(image.slice(0, 60))}`,
      resources: container(image),
    })),
    {
      title: "no image",
      resources: [{ type: "hermes:index:HermesContainer", props: {} }],
      says: ["image is missing"],
    },
    {
      title: "a moving tag, with the value, the reason and the fix",
      resources: container(`${NAME}:latest`),
      says: ['it: image "docker.io', ':latest" has the tag "latest", which can move', "Take a release tag"],
    },
    {
      title: "a moving tag beside an unknown value",
      resources: container(`${NAME}:latest`, { environment: unknown }),
    },
    { title: "a secret moving tag", resources: container(secret(`${NAME}:latest`)) },
    { title: "a Quadlet unit with a moving tag", resources: quadlet(`Image=${NAME}:latest`) },
    {
      title: "podman run of a moving tag behind sudo",
      resources: remote(`sudo -n podman run -d ${NAME}:main gateway run`),
    },
    {
      title: "podman run of what a variable names",
      resources: remote('podman run "$IMAGE"'),
      says: ["a variable names"],
    },
    {
      title: "another image whose tag is not as it was described",
      resources: remote("podman run docker.io/library/caddy:2"),
      settings: { otherTags: { "docker.io/library/caddy": "\\d+\\.\\d+\\.\\d+" } },
    },
    {
      title: "Hermes with a tag that was described for others",
      resources: container(`${NAME}:2.8.4`),
      settings: { otherTags: { [NAME]: ".*" } },
    },
    {
      title: "an image that is named like a unit",
      resources: container("hermes.image"),
    },
    ...[
      "docker.io/library/caddy:2",
      "docker.io/library/caddy:2.8.4-rc",
      "docker.io/library/caddy:v2.8.4.1",
    ].map((image) => ({
      title: `the tag of ${image}, which is described otherwise`,
      resources: remote(`podman run ${image}`),
      settings: { otherTags: { "docker.io/library/caddy": "\\d+\\.\\d+\\.\\d+|next" } },
    })),
    {
      title: "another image without a tag, which is described by a broken expression",
      resources: remote("podman run docker.io/library/caddy"),
      settings: { otherTags: { "docker.io/library/caddy": "(" } },
    },
    ...[`${DIGEST}0`, `x${DIGEST}`, "sha256:abc"].map((digest) => ({
      title: `another image with the digest ${digest.slice(0, 10)}…`,
      resources: remote(`podman run docker.io/library/caddy:2.8.4@${digest}`),
      settings: { otherTags: { "docker.io/library/caddy": ".*" } },
    })),
    {
      title: "another image without a tag, whose tags were described",
      resources: remote("podman run docker.io/library/caddy"),
      settings: { otherTags: { "docker.io/library/caddy": ".+" } },
    },
    {
      title: "an image whose tag is a word of programmers",
      resources: remote("podman run docker.io/a/b:undefined"),
    },
    {
      title: "an image of Hermes in capital letters, with a tag that was described",
      resources: remote("podman run docker.io/x/HERMES:2.8.4"),
      settings: { otherTags: { "docker.io/x/HERMES": ".*" } },
    },
    {
      title: "an image that a variable names, with the fix",
      resources: remote('podman run "$IMAGE"'),
      says: [
        "it: create runs an image that a variable names",
        "Write the image into the command, at a release tag.",
      ],
    },
    {
      title: "a pull of a moving tag",
      resources: remote(`podman pull ${NAME}:latest`),
      says: ['it: create "docker.io'],
    },
    {
      title: "the second image of a pull",
      resources: remote(`podman pull ${NAME}:v2026.7.20 ${NAME}:latest`),
    },
    {
      title: "the second command of a line",
      resources: remote(`podman pull ${NAME}:v2026.7.20 && podman run ${NAME}`),
    },
    { title: "docker:// and a moving tag", resources: remote(`podman run docker://${NAME}:latest`) },
    {
      title: "docker:// in the middle of a reference",
      resources: container("docker.io/docker://x:v2026.7.20"),
    },
    {
      title: "short options that stand together",
      resources: remote(`docker run -itdp80:80 -eA=1 ${NAME}:latest`),
    },
    { title: "a command on the machine that deploys", resources: local(`docker run ${NAME}:stable`) },
    { title: "an update of a command", resources: remote("true", { update: `podman run ${NAME}` }) },
    { title: "a Quadlet drop-in", resources: dropIn(`Image=${NAME}:latest`) },
    {
      title: "a Quadlet image unit",
      resources: file("/etc/containers/systemd/h.image", `[Image]\nImage=${NAME}:main\n`),
    },
    {
      title: "a unit in the project's own payload",
      resources: part("/etc/containers/systemd/hermes.container", `[Container]\nImage=${NAME}:latest\n`),
    },
    {
      title: "a service that runs podman",
      resources: file("/etc/systemd/system/h.service", `[Service]\nExecStart=podman run ${NAME}:latest\n`),
    },
    {
      title: "a compose file",
      resources: file("/srv/compose.yaml", `services:\n  a:\n    image: ${NAME}\n`),
    },
    {
      title: "a compose file's variable",
      resources: file("/srv/compose.yaml", `services:\n  a:\n    image: ${NAME}:\${TAG:-latest}\n`),
    },
    { title: "a pod", resources: kube(`${NAME}:latest`) },
    { title: "a NixOS container", resources: nixImage(`"${NAME}:latest"`) },
    {
      title: "a NixOS container whose tag has a name",
      resources: nixImage(`let tag = "latest"; in "${NAME}:\${tag}"`),
    },
    {
      title: "a command of cloud-init as a list",
      resources: snippet({ runcmd: [["podman", "run", `${NAME}:latest`]] }),
    },
    {
      title: "a command of cloud-init as a text",
      resources: snippet({ runcmd: [`podman run ${NAME}:latest`] }),
    },
    {
      title: "a Python program",
      resources: file(
        "/opt/start.py",
        `import subprocess\nsubprocess.run(["podman", "run", "${NAME}:latest"])\n`,
      ),
    },
  ],
};
