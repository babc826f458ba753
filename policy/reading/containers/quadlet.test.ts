import { describe, expect, it } from "vitest";
import { launchSpec } from "../../../components/container/launch-spec.ts";
import { quadlet } from "../../../components/render/quadlet.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { type Launch, UNKNOWN } from "../content.ts";
import { readUnit } from "../system/unit.ts";

const read = (text: string, path?: string) => readUnit({ at: "file", text, path });
const container = (text: string): Partial<Launch> => read(`[Container]\n${text}`).launches?.[0] ?? {};
const spec = launchSpec(shippedSettings("pve-sbx").container);

describe("a Quadlet container", () => {
  it("reads back to the launch spec that the project ships", () => {
    expect(read(quadlet(spec), "/etc/containers/systemd/hermes.container").launches).toEqual([
      {
        at: "file › [Container]",
        verb: "run",
        image: spec.image,
        network: spec.network,
        environment: spec.environment,
        mounts: spec.volumes.map(({ source, target, kind, readOnly }) => ({
          at: "file › Volume",
          kind,
          source,
          target,
          readOnly: readOnly === true,
          options: [],
        })),
        ports: [],
        privileges: [],
        command: spec.command,
      },
    ]);
  });

  it("reads back what the project quotes: words, dollars, percent signs", () => {
    const odd = {
      ...spec,
      environment: { MOTTO: '50% of $HOME "and" \\' },
      command: ["run now", "a$X", "$" + "{Y}", "%h"],
      volumes: [
        { source: "/srv/a b%", target: "/a", kind: "bind" as const, readOnly: true },
        { source: "/", target: "/b", kind: "tmpfs" as const },
        { source: "/", target: "/c", kind: "anonymous" as const },
      ],
    };
    const [launch] = read(quadlet(odd)).launches ?? [];
    expect(launch?.environment).toEqual(odd.environment);
    expect(launch?.command).toEqual(odd.command);
    expect(
      launch?.mounts.map(({ kind, source, target, readOnly }) => [kind, source, target, readOnly]),
    ).toEqual([
      ["bind", "/srv/a b%", "/a", true],
      ["anonymous", undefined, "/c", false],
      ["tmpfs", undefined, "/b", false],
    ]);
  });

  it("of a drop-in has only what that says", () => {
    expect(
      read("[Container]\nImage=a:latest\n", "/etc/containers/systemd/hermes.container.d/x.conf").launches,
    ).toEqual([
      {
        at: "file › [Container]",
        verb: "run",
        image: "a:latest",
        environment: {},
        mounts: [],
        ports: [],
        privileges: [],
        command: [],
      },
    ]);
  });

  it("has the last image and the last Exec, and none that were taken back", () => {
    expect(container("Image=a:1\nImage=a:2\nExec=one\nExec=two words")).toMatchObject({
      image: "a:2",
      command: ["two", "words"],
    });
    expect(container("Image=a:1\nImage=")).not.toHaveProperty("image");
    expect(container("Volume=/a:/a\nVolume=\nVolume=/b:/b").mounts).toMatchObject([{ source: "/b" }]);
  });

  it("joins continued lines without a blank, as Quadlet does", () => {
    expect(container("Image=a:la\\\ntest").image).toBe("a:latest");
  });

  it("takes no image from another unit", () => {
    expect(container("Image=hermes.build")).not.toHaveProperty("image");
    expect(container("Image=hermes.image")).not.toHaveProperty("image");
    expect(container("Image=r/hermes.image").image).toBe("r/hermes.image");
  });

  it("knows variables that the service sets, and no others", () => {
    expect(read("[Container]\nImage=a:$" + "{T}\n[Service]\nEnvironment=T=latest").launches?.[0]?.image).toBe(
      "a:latest",
    );
    expect(container("Image=a:$" + "{T}").image).toBe(UNKNOWN);
    expect(container("Environment=A").environment).toEqual({ A: UNKNOWN });
  });

  it("has ports that are published, not those only exposed", () => {
    expect(container("PublishPort=80:80\nPublishPort=127.0.0.1::81\nExposeHostPort=82").ports).toEqual([
      "80:80",
      "127.0.0.1::81",
    ]);
  });

  it("has mounts in every notation", () => {
    expect(
      container(
        "Volume=d.volume:/d\nTmpfs=/t\nMount=type=bind,source=/a,destination=/b,ro\nMount=type=tmpfs,dst=/c",
      ).mounts,
    ).toMatchObject([
      { kind: "volume", source: "d.volume", target: "/d", at: "file › Volume" },
      { kind: "tmpfs", target: "/t", at: "file › Tmpfs" },
      { kind: "bind", source: "/a", target: "/b", readOnly: true, at: "file › Mount" },
      { kind: "tmpfs", target: "/c" },
    ]);
  });

  it("says what takes its walls down, as it is written", () => {
    expect(
      container(
        "AddCapability=SYS_ADMIN NET_ADMIN\nAddDevice=/dev/kvm\nSecurityLabelDisable=true\nUserNS=host\n" +
          "SeccompProfile=unconfined\nUnmask=ALL\nSecurityLabelType=spc_t\nAppArmor=unconfined\nPodmanArgs=--privileged --pid host",
      ).privileges,
    ).toEqual([
      "AddCapability=SYS_ADMIN",
      "AddCapability=NET_ADMIN",
      "AddDevice=/dev/kvm",
      "UserNS=host",
      "SecurityLabelDisable=true",
      "SecurityLabelType=spc_t",
      "SeccompProfile=unconfined",
      "AppArmor=unconfined",
      "Unmask=ALL",
      "--privileged",
      "--pid=host",
    ]);
    expect(
      container("SecurityLabelDisable=false\nUserNS=keep-id\nSeccompProfile=/x.json\nReadOnly=true")
        .privileges,
    ).toEqual([]);
  });

  it("takes everything else from PodmanArgs, even another image", () => {
    const found = read(
      "[Container]\nImage=r/a:v1\nExec=x\nPodmanArgs=--publish 80:80 -v /a:/b r/b:latest",
    ).launches;
    expect(found).toMatchObject([
      { image: "r/a:v1", ports: ["80:80"], mounts: [{ source: "/a" }] },
      { image: "r/b:latest", ports: ["80:80"] },
    ]);
  });

  it("takes a command of its own from GlobalArgs", () => {
    expect(read("[Container]\nImage=r/a:v1\nGlobalArgs=--log-level=debug").launches).toHaveLength(1);
    expect(
      read("[Container]\nImage=r/a:v1\nGlobalArgs=--log-level debug run --privileged r/b:latest")
        .launches?.[1],
    ).toMatchObject({
      image: "r/b:latest",
      privileges: ["--privileged"],
    });
  });
});

describe("other Quadlet units", () => {
  it("publish ports and mount volumes for a pod, and publish for a manifest", () => {
    expect(read("[Pod]\nPublishPort=80:80\nVolume=/a:/b\nNetwork=host").launches).toMatchObject([
      { ports: ["80:80"], mounts: [{ source: "/a" }], network: "host" },
    ]);
    expect(read("[Kube]\nYaml=x.yml\nPublishPort=80:80").launches).toMatchObject([{ ports: ["80:80"] }]);
    expect(read("[Kube]\nYaml=x.yml").launches?.[0]).not.toHaveProperty("image");
  });

  it("pull images", () => {
    expect(read("[Image]\nImage=r/a:latest").launches).toMatchObject([{ verb: "pull", image: "r/a:latest" }]);
    expect(read("[Volume]\nDriver=image\nImage=r/a:latest").launches).toMatchObject([
      { verb: "pull", image: "r/a:latest" },
    ]);
    expect(read("[Build]\nImageTag=x").launches).toEqual([]);
  });

  it("put a volume on a file system, under both its names", () => {
    const volume = "[Volume]\nType=nfs\nDevice=srv:/x\nOptions=vers=4\n";
    const rest = { at: "file › [Volume]", type: "nfs", device: "srv:/x" };
    expect(read(volume, "/etc/containers/systemd/data.volume").fileSystems).toEqual([
      { ...rest, mountPoint: "data.volume" },
      { ...rest, mountPoint: "systemd-data" },
    ]);
    expect(
      read(`${volume}VolumeName=mine`, "/x/data.volume.d/a.conf").fileSystems?.map(
        ({ mountPoint }) => mountPoint,
      ),
    ).toEqual(["data.volume", "mine"]);
    expect(read(volume).fileSystems).toEqual([{ ...rest, mountPoint: UNKNOWN }]);
  });

  it("put a volume there by PodmanArgs as well, and a plain one nowhere", () => {
    expect(read("[Volume]\nVolumeName=v\nPodmanArgs=--opt type=nfs -o device=srv:/x").fileSystems).toEqual([
      { at: "file › [Volume]", mountPoint: "v", type: "nfs", device: "srv:/x" },
    ]);
    expect(read("[Volume]\nVolumeName=v\nLabel=a=b").fileSystems).toEqual([]);
  });
});
