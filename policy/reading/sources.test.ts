import { describe, expect, it } from "vitest";
import type { Value, Values } from "../pack/resource.ts";
import { UNKNOWN } from "./content.ts";
import { isValues, seedOf } from "./sources.ts";

const seed = (type: string, props: Values) => seedOf({ type, props });
const COMMAND = "command:remote:Command";
const texts = async (type: string, props: Values) =>
  ((await seed(type, props)).texts ?? []).map(({ at, text, format, path }) => [at, text, format, path]);
const launch = async (props: Values) => (await seed("hermes:index:HermesContainer", props)).launches?.[0];

describe("a command", () => {
  it.each([COMMAND, "command:local:Command"])("of %s is shell in each of its verbs", async (type) => {
    expect(await texts(type, { create: "a", update: "b", delete: "c", triggers: ["x\ny"] })).toEqual([
      ["create", "a", "shell", undefined],
      ["update", "b", "shell", undefined],
      ["delete", "c", "shell", undefined],
    ]);
  });

  it("is passed over where it is not known yet", async () => {
    expect(await texts(COMMAND, { create: UNKNOWN, update: 1, stdin: UNKNOWN })).toEqual([]);
  });

  it("brings what it reads, as what it does with it", async () => {
    expect(await texts(COMMAND, { create: "tee /etc/x.conf", stdin: "A=1" })).toContainEqual([
      "stdin",
      "A=1",
      undefined,
      "/etc/x.conf",
    ]);
    expect(await texts(COMMAND, { delete: "tailscale serve set-raw", stdin: "{}" })).toContainEqual([
      "stdin",
      "{}",
      "json",
      undefined,
    ]);
    expect(await texts(COMMAND, { stdin: "{}" })).toEqual([["stdin", "{}", undefined, undefined]]);
  });

  it("is a program where another interpreter runs it", async () => {
    expect(await texts(COMMAND, { create: "print(1)", interpreter: ["/usr/bin/python3", "-"] })).toEqual([
      ["create", "print(1)", "script", undefined],
    ]);
    expect((await seed(COMMAND, { create: "ls", interpreter: ["bash", "-c"] })).commands).toEqual([
      { at: "create", words: ["bash", "-c", "ls"], environment: {} },
    ]);
  });
});

describe("a command's interpreter", () => {
  it.each(["python3", "/usr/bin/perl", "ruby", "node", "nodejs", "php8.2", "lua5.4", "deno", "bun"])(
    "%s runs a script",
    async (name) => {
      expect(await texts(COMMAND, { create: "x", interpreter: [name, "--odd"] })).toEqual([
        ["create", "x", "script", undefined],
      ]);
    },
  );

  it("that nobody knows may be a shell", async () => {
    expect(await texts(COMMAND, { create: "x", interpreter: ["pythonista", UNKNOWN] })).toEqual([
      ["create", "x", "shell", undefined],
    ]);
  });
});

describe("a command's environment", () => {
  it("is told before the command that uses it, as far as it is known", async () => {
    const [[, text] = []] = await texts(COMMAND, {
      create: "tailscale $VERB",
      environment: { VERB: "funnel" },
    });
    expect(text).toMatch(/funnel.*tailscale \$VERB$/s);
    expect(await texts(COMMAND, { create: "tailscale $VERB", environment: { VERB: UNKNOWN } })).toEqual([
      ["create", "tailscale $VERB", "shell", undefined],
    ]);
  });

  it("stands behind a shebang", async () => {
    const create = "#!/bin/sh -e\ntailscale $VERB";
    const [[, text] = []] = await texts(COMMAND, { create, environment: { VERB: "funnel" } });
    expect(text).toMatch(/^#!\/bin\/sh -e\n.*funnel.*tailscale \$VERB$/s);
    expect(String(text).match(/#!/g)).toHaveLength(1);
  });
});

describe("a snippet", () => {
  const snippet = (sourceRaw: Values[string]) =>
    texts("proxmoxve:index/fileLegacy:FileLegacy", { sourceRaw, description: "one\ntwo" });
  const description = ["description", "one\ntwo", undefined, undefined];

  it("is called as its file is, on one line too", async () => {
    expect(await snippet({ data: "x", fileName: "a.yaml" })).toEqual([
      ["sourceRaw.data", "x", undefined, "a.yaml"],
      description,
    ]);
  });

  it("is no prose, whatever it is called", async () => {
    for (const fileName of ["a.txt", UNKNOWN, undefined] as const) {
      expect(await snippet({ data: "x", fileName })).toEqual([
        ["sourceRaw.data", "x", undefined, undefined],
        description,
      ]);
    }
  });

  it("that is not known yet leaves the resource's other texts", async () => {
    expect(await snippet(UNKNOWN)).toEqual([description]);
    expect(await snippet({ data: UNKNOWN, fileName: "a.yaml" })).toEqual([description]);
  });
});

describe("a file", () => {
  it("that is copied is a text at its path", async () => {
    const props = { source: { text: "x" }, remotePath: "/etc/x" };
    expect(await texts("command:remote:CopyToRemote", props)).toEqual([["source", "x", undefined, "/etc/x"]]);
    const local: Values = { localPath: { text: "x" }, remotePath: UNKNOWN };
    expect(await texts("command:remote:CopyFile", local)).toEqual([["source", "x", undefined, undefined]]);
    expect(await texts("command:remote:CopyToRemote", { source: { path: "x" } })).toEqual([]);
    expect(await texts("command:remote:CopyToRemote", { source: "x" })).toEqual([]);
  });

  it("of a tailnet policy is JSON, on one line too", async () => {
    expect(await texts("tailscale:index/acl:Acl", { acl: "{}" })).toEqual([["acl", "{}", "json", undefined]]);
  });

  it("of another resource is any text of more than a line, told by how it begins", async () => {
    expect(await texts("other:index:Other", { a: { b: "x\ny", c: "x" } })).toEqual([
      ["a.b", "x\ny", undefined, undefined],
    ]);
    expect(await texts("hermes:index:HermesGuest", { deployKey: "x\ny" })).toEqual([]);
  });
});

describe("the args of HermesContainer", () => {
  it("are a launch", async () => {
    expect(
      await launch({
        image: "i",
        network: "host",
        environment: { A: 1, B: UNKNOWN, C: null },
        ports: [80, "81:81"],
        publish: "82:82",
        privileged: true,
        entrypoint: "hermes",
        command: ["gateway", "run"],
      }),
    ).toEqual({
      at: "args",
      component: true,
      verb: "run",
      image: "i",
      network: "host",
      environment: { A: "1", B: UNKNOWN, C: "" },
      mounts: [],
      ports: ["80", "81:81", "82:82"],
      privileges: ["privileged"],
      command: ["hermes", "gateway", "run"],
    });
  });

  it.each<Value>([false, "true", UNKNOWN])("are not privileged by the value %o", async (privileged) => {
    expect((await launch({ privileged }))?.privileges).toEqual([]);
  });

  it("leave out what is not given", async () => {
    expect(await launch({ environment: UNKNOWN })).toStrictEqual({
      at: "args",
      component: true,
      verb: "run",
      environment: {},
      mounts: [],
      ports: [],
      privileges: [],
      command: [],
    });
  });

  it.each(["bind", "tmpfs", "anonymous"])("have a mount of the kind %s", async (kind) => {
    const volumes = [{ kind, source: "/s", target: "/t", readOnly: true }];
    const mounts = [{ at: "volumes.0", kind, source: "/s", target: "/t", readOnly: true, options: [] }];
    expect((await launch({ volumes }))?.mounts).toEqual(mounts);
  });

  it("have mounts of which something is not known, and ones of another kind", async () => {
    const hidden = { kind: UNKNOWN, target: UNKNOWN, readOnly: UNKNOWN, options: [] };
    expect((await launch({ volumes: UNKNOWN }))?.mounts).toEqual([{ at: "volumes.0", ...hidden }]);
    expect((await launch({ volumes: [UNKNOWN, { kind: "nfs", readOnly: "yes" }] }))?.mounts).toEqual([
      { at: "volumes.0", ...hidden },
      { at: "volumes.1", kind: "other", target: "", readOnly: false, options: [] },
    ]);
  });
});

it.each<readonly [string, Value]>([
  ["proxmoxve:oci/image:Image", "a:1"],
  ["proxmoxve:oci/imageLegacy:ImageLegacy", UNKNOWN],
])("%s fetches an image", async (type, reference) => {
  expect((await seed(type, { reference })).launches).toMatchObject([{ verb: "pull", image: reference }]);
  expect((await seed(type, {})).launches).toBeUndefined();
});

it("only objects that are no lists have values of their own", () => {
  expect([{}, [], null, "x", UNKNOWN].map((value) => isValues(value))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
