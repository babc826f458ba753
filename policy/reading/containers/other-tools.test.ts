import { describe, expect, it } from "vitest";
import { typed } from "../argv.ts";
import { contentOf } from "../read.ts";

const read = (text: string, path = "/x.sh") => contentOf({ texts: [{ at: "text", path, text }] });
const images = async (text: string, path?: string) =>
  (await read(text, path)).launches.map(({ verb, image }) => [verb, image]);

describe("images that other commands take", () => {
  it.each([
    ["podman tag x.y/z:latest hermes:v1", "pull"],
    ["podman image tag x.y/z:latest hermes:v1 hermes:v2", "pull"],
    ["skopeo copy docker://x.y/z:latest containers-storage:hermes:v1", "pull"],
    ["skopeo --policy p copy --src-creds a:b docker://x.y/z:latest dir:/x", "pull"],
    ["docker service create --name hermes x.y/z:latest", "run"],
    ["ctr -n k8s.io image pull x.y/z:latest", "pull"],
    ["ctr images pull x.y/z:latest", "pull"],
    ["k3s ctr image pull x.y/z:latest", "pull"],
    ["crictl pull x.y/z:latest", "pull"],
    ["curl -X POST 'http://d/v1.47/images/create?fromImage=x.y%2Fz&tag=latest'", "pull"],
    ["buildah from x.y/z:latest", "pull"],
    ["kubectl run hermes --image=x.y/z:latest", "run"],
  ])("%s", async (command, verb) => {
    expect(await images(command)).toEqual([[verb, "x.y/z:latest"]]);
  });

  it.each(["skopeo inspect docker://x.y/z:latest", "kubectl get pods", "crictl ps", "ctr image ls"])(
    "are none in %s",
    async (command) => {
      expect(await images(command)).toEqual([]);
    },
  );
});

describe("what commands read from a here-document", () => {
  const compose = '{"services": {"hermes": {"image": "x.y/z:latest"}}}';
  const pod = "kind: Pod\nspec:\n  containers:\n    - image: x.y/z:latest";
  it.each([
    ["podman kube play -", pod],
    ["podman play kube -", pod],
    ["kubectl apply -f -", pod],
    ["docker compose -f - up -d", compose],
    ["docker stack deploy -c - hermes", compose],
    ["podman-compose -f - up", compose],
  ])("%s", async (command, text) => {
    expect(await images(`${command} <<'EOF'\n${text}\nEOF\n`)).toEqual([["run", "x.y/z:latest"]]);
  });

  it("podman build -", async () => {
    expect(await images("podman build -t hermes:v1 - <<'EOF'\nFROM x.y/z:latest\nEOF\n")).toEqual([
      ["pull", "x.y/z:latest"],
    ]);
  });

  it("and what an HTTP client sends to Docker", async () => {
    const body = JSON.stringify({
      Image: "x.y/z:latest",
      Env: ["A=1"],
      Entrypoint: ["tailscale"],
      Cmd: ["funnel", "443"],
      HostConfig: {
        Binds: ["/srv:/opt/data"],
        Privileged: true,
        NetworkMode: "host",
        PortBindings: { "80/tcp": [{ HostIp: "0.0.0.0", HostPort: "8080" }] },
        Mounts: [{ Type: "bind", Source: "/a", Target: "/b", ReadOnly: true }],
      },
    });
    const sent = `curl --unix-socket /run/docker.sock -d '${body}' http://d/containers/create`;
    const { launches, commands } = await read(sent);
    expect(launches).toMatchObject([
      {
        image: "x.y/z:latest",
        network: "host",
        environment: { A: "1" },
        ports: ["0.0.0.0:8080:80/tcp"],
        privileges: ["--privileged"],
        mounts: [
          { kind: "bind", source: "/srv", target: "/opt/data" },
          { kind: "bind", source: "/a", target: "/b", readOnly: true },
        ],
      },
    ]);
    expect(commands.map(typed)).toContain("tailscale funnel 443");
  });
});

describe("a Containerfile", () => {
  it.each(["/srv/Containerfile", "/srv/Dockerfile", "/srv/hermes.Dockerfile", "/srv/Dockerfile.prod"])(
    "is told at %s",
    async (path) => {
      const text =
        "ARG TAG=latest\nFROM scratch AS none\nFROM --platform=linux/amd64 x.y/z:$TAG AS base\n" +
        'COPY --from=base /a /b\nCOPY --from=x.y/w:1 /a /b\nFROM Base\nRUN tailscale \\\n  funnel 443\nRUN ["id", "-u"]\n';
      const { launches, commands } = await read(text, path);
      expect(launches.map(({ verb, image }) => [verb, image])).toEqual([
        ["pull", "x.y/z:latest"],
        ["pull", "x.y/w:1"],
      ]);
      expect(commands.map(typed)).toEqual(["tailscale funnel 443", "id -u"]);
    },
  );
});

it("a compose file may have a Containerfile in it", async () => {
  expect(
    await images('services: {x: {build: {dockerfile_inline: "FROM x.y/z:latest"}}}', "/x.yaml"),
  ).toContainEqual(["pull", "x.y/z:latest"]);
});

describe("an entry point that a launch names", () => {
  it.each([
    ["/x.sh", "podman run --entrypoint tailscale img:1 funnel 3000"],
    ["/x.sh", `podman run --entrypoint '["tailscale","funnel"]' img:1 3000`],
    ["/x.sh", "podman run --entrypoint other --entrypoint=tailscale img:1 funnel 3000"],
    ["/x.container", "[Container]\nImage=img:1\nEntrypoint=tailscale\nExec=funnel 3000\n"],
    ["/x.yaml", "services: {x: {image: 'img:1', entrypoint: [tailscale], command: funnel 3000}}\n"],
    [
      "/x.yaml",
      "kind: Pod\nspec: {containers: [{image: 'img:1', command: [tailscale], args: [funnel, 3000]}]}\n",
    ],
    [
      "/x.nix",
      '{ virtualisation.oci-containers.containers.x = { image = "img:1"; entrypoint = "tailscale"; cmd = [ "funnel" "3000" ]; }; }',
    ],
  ])("comes before its arguments: %s, %s", async (path, text) => {
    const { launches, commands } = await read(text, path);
    expect(launches.map(({ command }) => command)).toEqual([["tailscale", "funnel", "3000"]]);
    expect(commands.map(typed)).toContain("tailscale funnel 3000");
  });
});
