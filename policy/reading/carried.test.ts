import { describe, expect, it } from "vitest";
import { typed } from "./argv.ts";
import type { Text } from "./content.ts";
import { contentOf } from "./read.ts";
import { seedOf } from "./sources.ts";

/** What a file says, whatever it is called, as a resource carries it. */
const file = (path: string, text: string, more: Partial<Text> = {}) =>
  contentOf({ texts: [{ at: "text", path, text, ...more }] });
const commandsOf = async (path: string, text: string, more: Partial<Text> = {}) =>
  (await file(path, text, more)).commands.map(typed);
const FUNNEL = "tailscale funnel 443";

describe("what a text says wins over what its path says", () => {
  it.each(["x.py", "x.json", "x.cfg", "x.env", "x.service", "x.txt", "x.md", "motd", "x.nix", "x.yaml"])(
    "a shebang at /opt/%s",
    async (name) => {
      expect(await commandsOf(`/opt/${name}`, `#!/bin/sh\n${FUNNEL}\n`)).toContain(FUNNEL);
    },
  );

  it.each(["hermes.container.txt", "x.md", "x.json", "x.env", "x.cfg"])("a unit at /tmp/%s", async (name) => {
    const { launches } = await file(`/tmp/${name}`, "# ours\n[Container]\nImage=x.y/z:latest\n");
    expect(launches).toMatchObject([{ image: "x.y/z:latest" }]);
  });

  it.each(["x.txt", "x.md", "x.env", "x.py", "x.sh", "x.service"])(
    "a cloud-config at /tmp/%s",
    async (name) => {
      expect(
        await commandsOf(`/tmp/${name}`, `#cloud-config\nruncmd: [[tailscale, funnel, '443']]\n`),
      ).toContain(FUNNEL);
    },
  );

  it.each(["x.txt", "motd", "x.env"])("JSON at /tmp/%s", async (name) => {
    expect(await commandsOf(`/tmp/${name}`, '{"runcmd": [["tailscale", "funnel", "443"]]}')).toContain(
      FUNNEL,
    );
  });

  it("but prose stays prose", async () => {
    const { commands, settings } = await file("/opt/README.md", `Note: never run\n${FUNNEL}\nHOST=1\n`);
    expect([commands, settings]).toEqual([[], []]);
  });
});

describe("the interpreter", () => {
  it.each([
    "#!/usr/bin/env nix-shell\n#!nix-shell -i bash -p tailscale",
    "#!/usr/bin/sudo /bin/sh",
    "#!/command/with-contenv bash",
    "#!/sbin/openrc-run",
    "#!/usr/bin/fish",
    "#!/usr/bin/env -S FOO=1 bash",
    "#!/usr/local/bin/anything",
  ])("of %j runs shell", async (shebang) => {
    expect(await commandsOf("/opt/x", `${shebang}\n${FUNNEL}\n`)).toContain(FUNNEL);
  });

  it("is a command itself where it is no language", async () => {
    expect(await commandsOf("/opt/443", "#!/usr/bin/tailscale funnel\n")).toContain(
      "/usr/bin/tailscale funnel /opt/443",
    );
  });

  it("of Python runs no shell", async () => {
    expect(await commandsOf("/opt/x", `#!/usr/bin/env python3\n${FUNNEL}\n`)).toEqual([]);
  });
});

describe("files of variables", () => {
  it.each([
    "/etc/hermes/hermes.conf",
    "/etc/sysconfig/hermes",
    "/etc/hermes/env",
    "/etc/hermes/env.list",
    "/etc/hermes/hermes.env.prod",
    "/srv/.env.local",
    "/etc/environment.d/50-x.conf",
    "/srv/x.yaml",
    "/srv/x.txt",
  ])("are told at %s", async (path) => {
    const { settings } = await file(path, "# ours\n\nHERMES_DASHBOARD_HOST=0.0.0.0\n");
    expect(settings).toMatchObject([{ path: ["HERMES_DASHBOARD_HOST"], value: "0.0.0.0" }]);
  });

  it("may have other lines, which their readers pass over", async () => {
    const { settings } = await file("/etc/hermes.conf", "junk here\nHERMES_DASHBOARD_HOST=0.0.0.0\n");
    expect(settings).toMatchObject([{ value: "0.0.0.0" }]);
  });
});

describe("files that other programs run are shell", () => {
  it.each([
    "/etc/NetworkManager/dispatcher.d/x",
    "/etc/networkd-dispatcher/routable.d/x",
    "/etc/init.d/x",
    "/etc/letsencrypt/renewal-hooks/deploy/x",
    "/root/.bash_aliases",
    "/var/lib/cloud/scripts/per-boot/x",
    "/etc/profile.d/x",
    "/usr/lib/systemd/system-sleep/x",
  ])("%s", async (path) => {
    expect(await commandsOf(path, `X=1 ${FUNNEL}\n`)).toContain(FUNNEL);
  });

  it.each([
    ["write_files' permissions", { permissions: "0755" }],
    ["a payload's mode", { mode: "0750" }],
    ["Ignition's mode", { mode: 493 }],
    ["a mode in letters", { mode: "u=rwx" }],
  ])("as %s say", async (_title, mode) => {
    const of = (more: object) =>
      commandsOf("/x.json", JSON.stringify({ files: [{ path: "/opt/x", content: FUNNEL, ...more }] }));
    expect(await of(mode)).toContain(FUNNEL);
    expect(await of({ mode: "0644", permissions: "0600" })).toEqual([]);
    expect(await of({ mode: 420 })).toEqual([]);
  });
});

describe("what is not read", () => {
  it("shows when a text is too long", async () => {
    const { unread, commands } = await file("/opt/x.sh", `#${"x".repeat(33 * 2 ** 20)}\n${FUNNEL}\n`);
    expect([unread, commands]).toEqual([["text"], []]);
  });

  it("shows when it lies too deep, and prose does not matter", async () => {
    const nested = (text: string) =>
      Array.from({ length: 12 }).reduce<string>(
        (inner, _, index) => JSON.stringify({ path: index === 0 ? "/a" : "/a.json", content: inner }),
        text,
      );
    expect((await file("/a.json", nested("#!/bin/sh\nid"))).unread).toHaveLength(1);
    expect((await file("/a.json", nested("words"))).unread).toEqual([]);
    expect((await file("/opt/x.sh", "id")).unread).toEqual([]);
  });

  it("is none of a list of a hundred thousand leaves", async () => {
    const { settings, unread } = await file(
      "/a.json",
      JSON.stringify(Array.from({ length: 300_000 }, () => 1)),
    );
    expect([settings.length, unread]).toEqual([300_000, []]);
  });
});

describe("a resource on Proxmox VE", () => {
  const of = async (type: string, props: object) =>
    contentOf(await seedOf({ type: `proxmoxve:${type}`, props: props as never }));

  it("names its snippet, which may have one line", async () => {
    const { settings } = await of("index/fileLegacy:FileLegacy", {
      sourceRaw: { data: "local-hostname: hermes", fileName: "meta.yaml" },
    });
    expect(settings).toContainEqual(expect.objectContaining({ path: ["local-hostname"], value: "hermes" }));
  });

  it("is cloud-init's whatever the snippet's name", async () => {
    const { commands } = await of("index/fileLegacy:FileLegacy", {
      sourceRaw: { data: "#cloud-config\nruncmd: [[id]]\n", fileName: "user.txt" },
    });
    expect(commands.map(typed)).toEqual(["id"]);
  });

  it.each(["oci/image:Image", "oci/imageLegacy:ImageLegacy"])("pulls an image: %s", async (type) => {
    const { launches } = await of(type, { reference: "docker.io/x/y:latest" });
    expect(launches).toMatchObject([{ at: "reference", verb: "pull", image: "docker.io/x/y:latest" }]);
  });
});
