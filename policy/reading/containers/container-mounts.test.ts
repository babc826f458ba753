import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { longMount, tmpfsMount, volumeMount } from "./container-mounts.ts";

describe("volumeMount", () => {
  it.each([
    ["/opt/data", "anonymous", undefined, "/opt/data"],
    ["/srv/../x:/opt/data", "bind", "/srv/../x", "/opt/data"],
    ["./x:/opt/data", "bind", "./x", "/opt/data"],
    ["~/x:/opt/data", "bind", "~/x", "/opt/data"],
    ["%h/x:/opt/data", "bind", "%h/x", "/opt/data"],
    ["x:/opt/data", "volume", "x", "/opt/data"],
    ["x.volume:/opt/data", "volume", "x.volume", "/opt/data"],
    [":/opt/data", "anonymous", undefined, "/opt/data"],
  ])("reads %s", (spec, kind, source, target) => {
    const { options, readOnly, ...mount } = volumeMount(spec, "x");
    expect(mount).toEqual({ at: "x", kind, target, ...(source === undefined ? {} : { source }) });
    expect([options, readOnly]).toEqual([[], false]);
  });

  it("keeps options, and says whether it is read-only", () => {
    expect(volumeMount("/a:/b:ro,O,U", "x")).toMatchObject({ readOnly: true, options: ["O", "U"] });
    expect(volumeMount("/a:/b:rw,z", "x")).toMatchObject({ readOnly: false, options: ["z"] });
  });

  it("knows nothing of an unknown word", () => {
    expect(volumeMount(UNKNOWN, "x")).toMatchObject({ kind: UNKNOWN, target: UNKNOWN, readOnly: UNKNOWN });
  });
});

describe("tmpfsMount", () => {
  it("reads target and options", () => {
    expect(tmpfsMount("/t:rw,size=1m", "x")).toEqual({
      at: "x",
      kind: "tmpfs",
      target: "/t",
      readOnly: false,
      options: ["size=1m"],
    });
    expect(tmpfsMount(UNKNOWN, "x")).toMatchObject({ kind: "tmpfs", target: UNKNOWN });
  });
});

describe("longMount", () => {
  it.each([
    ["type=bind,source=/a,destination=/b", "bind", "/a", "/b", false],
    ["src=/a,type=bind,target=/b,readonly", "bind", "/a", "/b", true],
    ["type=bind,src=/a,dst=/b,ro=true", "bind", "/a", "/b", true],
    ["type=bind,src=/a,dst=/b,ro=false", "bind", "/a", "/b", false],
    ["type=bind,src=/a,dst=/b,rw=false", "bind", "/a", "/b", true],
    ["type=volume,dest=/b", "anonymous", undefined, "/b", false],
    ["source=v,destination=/b", "volume", "v", "/b", false],
    ["type=tmpfs,destination=/b", "tmpfs", undefined, "/b", false],
    ["type=ramfs,destination=/b", "tmpfs", undefined, "/b", false],
    ["type=image,source=r/a:latest,dst=/b", "image", "r/a:latest", "/b", true],
    ["type=image,source=r/a:latest,dst=/b,rw=true", "image", "r/a:latest", "/b", false],
    ["type=glob,src=/lib/x*", "bind", "/lib/x*", "/lib/x*", false],
    ["type=devpts,destination=/b", "other", undefined, "/b", false],
    ['"type=bind","src=/a,b",dst=/c', "bind", "/a,b", "/c", false],
    ["type=bind,src=/a", "bind", "/a", UNKNOWN, false],
  ])("reads %s", (spec, kind, source, target, readOnly) => {
    expect(longMount(spec, "x")).toMatchObject({ kind, target, readOnly });
    expect(longMount(spec, "x").source).toBe(source);
  });

  it("keeps other options, and a type that it does not know", () => {
    expect(longMount("type=volume,src=v,dst=/b,U,volume-opt=type=nfs", "x").options).toEqual([
      "U",
      "volume-opt=type=nfs",
    ]);
    expect(longMount("type=devpts,dst=/b", "x").options).toEqual(["type=devpts"]);
  });
});
