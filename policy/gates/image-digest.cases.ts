import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";
const PINNED = `${IMAGE}@sha256:${"a".repeat(64)}`;
const container = (image: unknown, name = "hermes"): CaseResource => ({
  type: "hermes:index:HermesContainer",
  name,
  props: { image },
});
const command = (create: string, stdin?: string): CaseResource => ({
  type: "command:remote:Command",
  props: { create, ...(stdin === undefined ? {} : { stdin }) },
});
const quadlet = (image: string, name = "hermes.container", section = "Container"): CaseResource =>
  command(`tee /etc/containers/systemd/${name}`, `[${section}]\nImage=${image}\n`);
const one = (resource: CaseResource): Case["resources"] => [resource];

export const cases: GateCases = {
  level: "advisory",
  allows: [
    { title: "an image with its digest", resources: one(container(PINNED)) },
    { title: "an image that is not known yet", resources: one(container(unknown)) },
    { title: "an image that a variable names", resources: one(command('podman run "$IMAGE"')) },
    { title: "a Quadlet unit with the digest", resources: one(quadlet(PINNED)) },
    { title: "a Quadlet unit that takes its image from another", resources: one(quadlet("hermes.image")) },
    { title: "a Quadlet unit that takes one that is built", resources: one(quadlet("hermes@1.build")) },
    {
      title: "an image that is built in the guest",
      resources: one(command("podman run localhost/hermes:v1.2.3")),
    },
    { title: "a command without an image", resources: one(command("podman ps")) },
    { title: "a command that only mentions one", resources: one(command(`echo ${IMAGE}`)) },
  ],
  refuses: [
    {
      title: "a component's image by its tag",
      resources: one(container(IMAGE)),
      says: [`hermes: image is "${IMAGE}", which has no digest.`, "skopeo"],
    },
    { title: "a secret image", resources: one(container(secret(IMAGE))) },
    {
      title: "a second component's",
      resources: [container(PINNED), container(IMAGE, "second")],
      says: ["second: image"],
    },
    { title: "a Quadlet unit", resources: one(quadlet(IMAGE)), says: ["it: stdin", `is "${IMAGE}"`] },
    { title: "a Quadlet unit for an image", resources: one(quadlet(IMAGE, "hermes.image", "Image")) },
    { title: "podman run", resources: one(command(`podman run ${IMAGE}`)) },
    { title: "podman pull", resources: one(command(`podman pull ${IMAGE}`)) },
    {
      title: "another image than the component's, beside it",
      resources: [container(PINNED), command("podman run docker.io/library/caddy:v2.8.4")],
      says: ["it: create"],
    },
    {
      title: "the component's image in what was rendered from it, once",
      resources: [container(IMAGE), command(`podman run ${IMAGE}`)],
      times: 1,
    },
    {
      title: "the same image in a second component, once",
      resources: [container(IMAGE), container(IMAGE, "second")],
      times: 1,
    },
    {
      title: "the same image in two commands",
      resources: [command(`podman run ${IMAGE}`), { ...command(`podman pull ${IMAGE}`), name: "other" }],
      times: 2,
    },
    {
      title: "an image with localhost in its name",
      resources: one(container("docker.io/localhost/hermes:v1.2.3")),
    },
  ],
};
