import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { readYaml } from "../data/yaml.ts";

const read = (text: string) => readYaml({ text, at: "compose.yaml" });
const D = "$";
const launch = (text: string) => read(text).launches?.[0];
const mounts = (text: string) => launch(text)?.mounts.map(({ at: _, ...mount }) => mount);

describe("composeContent", () => {
  it("reads a service with all that it says of its container", () => {
    expect(
      launch(`
services:
  hermes:
    image: docker.io/nousresearch/hermes-agent:v2026.7.1
    network_mode: host
    environment: [HERMES_DASHBOARD=1, TOKEN]
    tmpfs: /run
    ports: ["8080:80", 9119, {published: 443, target: 9119, host_ip: 0.0.0.0, protocol: tcp}]
    privileged: yes
    pid: host
    cap_add: [NET_ADMIN]
    security_opt: ["label=disable"]
    devices: ["/dev/net/tun"]
    command: gateway run --name "a b"
`),
    ).toEqual({
      at: "compose.yaml › services.hermes",
      verb: "run",
      image: "docker.io/nousresearch/hermes-agent:v2026.7.1",
      network: "host",
      environment: { HERMES_DASHBOARD: "1", TOKEN: UNKNOWN },
      mounts: [
        {
          at: "compose.yaml › services.hermes.tmpfs",
          kind: "tmpfs",
          target: "/run",
          readOnly: false,
          options: [],
        },
      ],
      ports: ["8080:80", "9119", "0.0.0.0:443:9119/tcp"],
      privileges: [
        "--privileged",
        "--pid=host",
        "--cap-add=NET_ADMIN",
        "--device=/dev/net/tun",
        "--security-opt=label=disable",
      ],
      command: ["gateway", "run", "--name", "a b"],
    });
  });

  it("reads mounts in the short and the long notation", () => {
    expect(
      mounts(`
services:
  x:
    image: x
    volumes:
      - /srv/hermes:/opt/data:ro,Z
      - data:/opt/data
      - /opt/data
      - {type: bind, source: /a, target: /b, read_only: true}
      - {type: volume, target: /c}
      - {type: tmpfs, target: /d}
volumes:
  data: {driver_opts: {type: nfs, device: ":/x"}}
`),
    ).toEqual([
      { kind: "bind", source: "/srv/hermes", target: "/opt/data", readOnly: true, options: ["ro", "Z"] },
      {
        kind: "volume",
        source: "data",
        target: "/opt/data",
        readOnly: false,
        options: ["type=nfs", "device=:/x"],
      },
      { kind: "anonymous", target: "/opt/data", readOnly: false, options: [] },
      { kind: "bind", source: "/a", target: "/b", readOnly: true, options: [] },
      { kind: "anonymous", target: "/c", readOnly: false, options: [] },
      { kind: "tmpfs", target: "/d", readOnly: false, options: [] },
    ]);
  });

  it("fills a variable in by its default, and takes any other for unknown", () => {
    expect(launch(`services: {x: {image: 'hermes:${D}{TAG:-latest}'}}`)?.image).toBe("hermes:latest");
    expect(launch(`services: {x: {image: 'hermes:${D}{TAG}'}}`)?.image).toBe(UNKNOWN);
    expect(launch("services: {x: {image: x, command: 'echo $$HOME'}}")?.command).toEqual(["echo", "$HOME"]);
  });

  it("names the host's network when a network of the file stands for it", () => {
    const text =
      "services: {x: {image: x, networks: [outer]}}\nnetworks: {outer: {external: true, name: host}}";
    expect(launch(text)?.network).toBe("host");
  });

  it("yields what an entry point of its own, and a health check, run", () => {
    const text =
      "services: {x: {image: x, entrypoint: [sh, -c], command: [tailscale funnel 443], healthcheck: {test: [CMD, id]}}}";
    expect(launch(text)?.command).toEqual(["sh", "-c", "tailscale funnel 443"]);
    expect(read(text).commands?.map(({ words }) => words)).toEqual([["id"]]);
  });

  it("takes services of another kind for no containers", () => {
    expect(read("services: {tailscale: {enable: true}, web: [1]}").launches).toEqual([]);
  });
});
