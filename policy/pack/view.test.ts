import { describe, expect, it } from "vitest";
import { Views } from "./view.ts";

const args = (name: string, props: Record<string, unknown> = {}, parent?: string) => ({
  type: parent === undefined ? "x:y:Around" : "x:y:Inside",
  name,
  urn: `urn:${name}`,
  props,
  opts: {
    protect: false,
    ...(parent === undefined ? {} : { parent: `urn:${parent}` }),
    ignoreChanges: [],
    aliases: [],
    additionalSecretOutputs: [],
    customTimeouts: { createSeconds: 0, updateSeconds: 0, deleteSeconds: 0 },
  },
});

describe("Views", () => {
  it("shares what it read between the gates of one registration", async () => {
    const views = new Views();
    const [first, second] = [await views.see(args("a"), "one"), await views.see(args("a"), "two")];
    expect(second).toBe(first);
  });

  it("reads a resource anew when a gate meets it again, in its old place", async () => {
    const views = new Views();
    await views.see(args("a", { image: "old" }), "one");
    await views.see(args("b"), "one");
    await views.see(args("a", { image: "new" }), "one");
    expect(views.all.map(({ name, props }) => [name, props["image"]])).toEqual([
      ["a", "new"],
      ["b", undefined],
    ]);
    expect(views.of("x:y:Around").map(({ name }) => name)).toEqual(["a", "b"]);
    expect(views.of("x:y:Nothing")).toEqual([]);
  });

  it("gives each resource its own properties, also where its texts were read before", async () => {
    const views = new Views();
    const see = (name: string) =>
      views.see({ ...args(name, { create: "b", host: name }), type: "command:remote:Command" }, "one");
    const [first, second] = [await see("first"), await see("second")];
    expect(second.content.commands).toBe(first.content.commands);
    expect([first, second].map(({ content }) => content.settings)).toEqual(
      ["first", "second"].map((host) => [
        { at: "create", path: ["create"], value: "b" },
        { at: "host", path: ["host"], value: host },
      ]),
    );
  });

  it("knows the components around a resource, from the outside in", async () => {
    const views = new Views();
    await views.see(args("a"), "one");
    await views.see(args("b", {}, "a"), "one");
    const inner = await views.see(args("c", {}, "b"), "one");
    expect(inner.around.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("does not count the stack among them", async () => {
    const views = new Views();
    await views.see({ ...args("stack"), type: "pulumi:pulumi:Stack" }, "one");
    expect((await views.see(args("a", {}, "stack"), "one")).around).toEqual([]);
  });

  it("gives the stack's configuration as it was set, structured or not", () => {
    const views = new Views({ "hermes:guest": '{ "kind": "proxmox" }', "x:y": "text" });
    expect(views.config("hermes:guest")).toEqual({ kind: "proxmox" });
    expect(views.config("x:y")).toBe("text");
    expect(views.config("x:z")).toBeUndefined();
  });
});
