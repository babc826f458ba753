import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { readNix } from "./nix.ts";

/** Milliseconds of the processor: what else the machine does must not count. */
const cpuTime = () => process.cpuUsage().user / 1000;

const read = (text: string) => readNix({ text, at: "guest.nix" });
const values = (text: string) =>
  (read(text).settings ?? []).map(({ path, value }) => [path.join("."), value]);
const D = "$";

describe("readNix", () => {
  it("names attributes by their path, however they are nested", () => {
    expect(values('{ services.tailscale = { enable = true; "a.b".c = [ 1 null "x" ]; }; e = { }; }')).toEqual(
      [
        ["services.tailscale.enable", true],
        ["services.tailscale.a.b.c.0", 1],
        ["services.tailscale.a.b.c.1", null],
        ["services.tailscale.a.b.c.2", "x"],
        ["e", {}],
      ],
    );
  });

  it("reads what a let binds, and says UNKNOWN of what the file does not tell", () => {
    const text = `{ lib, port ? 443, ... }: let v = "1"; s = { k = v; }; in with lib; {
      a = "x:${D}{v}"; b = s.k; c = port; d = s; e = "x:${D}{port}"; inherit v; }`;
    expect(Object.fromEntries(values(text))).toMatchObject({
      a: "x:1",
      b: "1",
      c: UNKNOWN,
      "d.k": "1",
      e: UNKNOWN,
      v: "1",
    });
  });

  it("takes conditions both ways, and merged sets together", () => {
    const text = `{ lib, config, ... }: {
      config = lib.mkMerge [
        { a = lib.mkForce 1; }
        (lib.mkIf config.x { b = if config.y then 2 else 3; })
        ({ c = 4; } // { d = lib.mkDefault 5; })
      ];
      imports = [ ./x.nix { e = 6; } ];
      l = [ 1 ] ++ [ 2 ];
    }`;
    expect(values(text)).toEqual([
      ["a", 1],
      ["b", 2],
      ["b", 3],
      ["c", 4],
      ["d", 5],
      ["imports.0", "./x.nix"],
      ["e", 6],
      ["l.0", 1],
      ["l.1", 2],
    ]);
  });

  it.each([
    ["{ x.modules = [ ({ pkgs, ... }: { services.a = 1; }) ]; }"],
    ["{ x = nixosSystem { modules = [ { services.a = 1; } ]; }; }"],
    ["{ microvm.vms.hermes.config = { services.a = 1; }; }"],
    ["{ containers.x = { config = { services.a = 1; }; }; }"],
    ["{ outputs = { self, ... }: { nixosModules.x = { pkgs, ... }: { services.a = 1; }; }; }"],
  ])("starts the path anew where a module stands in something else: %s", (text) => {
    expect(values(text)).toContainEqual(["services.a", 1]);
  });

  it("finds sets and texts in what it does not understand", () => {
    const found = values('{ a = f x { b = "c"; } (g "d"); } == { e = 1; }');
    expect(found).toContainEqual(["a.b", "c"]);
    expect(found).toContainEqual(["a", "d"]);
    expect(found).toContainEqual(["e", 1]);
  });

  it("passes over comments", () => {
    expect(values("{ # tailscale funnel\n /* funnel = true; */ a = 1; }")).toEqual([["a", 1]]);
  });

  it("reads strings by Nix's rules", () => {
    const text = `{
      a = "q\\"n\\n\\${D}{x} $${D}{y}";
      b = ''
        one
          two ''${D}{x} ''' ''\\t.

        three
      '';
      c = https://example.com/x;
    }`;
    expect(values(text)).toEqual([
      ["a", `q"n\n${D}{x} $${D}{y}`],
      ["b", `one\n  two ${D}{x} '' \t.\n\nthree\n`],
      ["c", "https://example.com/x"],
    ]);
  });

  it("goes on after what is broken", () => {
    expect(values("{ a = ; b = [ 1 ) 2 ]; ] c = 3; d = { e = 4; ")).toEqual(
      expect.arrayContaining([
        ["b.0", 1],
        ["b.1", 2],
        ["c", 3],
        ["d.e", 4],
      ]),
    );
  });

  it("reads a container of oci-containers", () => {
    const text = `{ config, lib, ... }: let dir = "/var/lib/hermes"; in {
      virtualisation.oci-containers.containers.hermes = {
        image = "docker.io/nousresearch/hermes-agent:v2026.7.1";
        volumes = [ "${D}{dir}:/opt/data" "${D}{config.x}:/b:ro" ];
        environment.HERMES_DASHBOARD = "1";
        ports = [ "127.0.0.1:80:80" ];
        extraOptions = [ "--network=host" "--privileged" "-p" "443:443" "--mount=type=tmpfs,destination=/t" "--name" "x" ]
          ++ lib.optional config.y "--cap-add=ALL";
        cmd = [ "gateway" "run" ];
      };
      virtualisation.oci-containers.containers.hermes.capabilities.NET_ADMIN = true;
    }`;
    const at = "guest.nix › virtualisation.oci-containers.containers.hermes";
    expect(read(text).launches).toEqual([
      {
        at,
        verb: "run",
        image: "docker.io/nousresearch/hermes-agent:v2026.7.1",
        network: "host",
        environment: { HERMES_DASHBOARD: "1" },
        mounts: [
          {
            at: `${at}.volumes.0`,
            kind: "bind",
            source: "/var/lib/hermes",
            target: "/opt/data",
            readOnly: false,
            options: [],
          },
          {
            at: `${at}.volumes.1`,
            kind: UNKNOWN,
            source: UNKNOWN,
            target: "/b",
            readOnly: true,
            options: [],
          },
          { at, kind: "tmpfs", target: "/t", readOnly: false, options: [] },
        ],
        ports: ["127.0.0.1:80:80", "443:443"],
        privileges: ["--cap-add=NET_ADMIN", "--privileged", "--cap-add=ALL"],
        command: ["gateway", "run"],
      },
    ]);
  });

  it("takes no user namespace of its own for a privilege", () => {
    const text =
      '{ virtualisation.oci-containers.containers.x = { image = "a:1"; extraOptions = [ "--userns=keep-id" "--pid=host" ]; }; }';
    expect(read(text).launches).toMatchObject([{ privileges: ["--pid=host"] }]);
  });

  it("reads a container of quadlet-nix", () => {
    const text = `{ virtualisation.quadlet.containers.hermes.containerConfig = {
      image = "a:latest"; publishPorts = [ "80:80" ]; volumes = [ "/srv:/opt/data" ]; networks = [ "host" ];
      environments.A = "1"; addCapabilities = [ "ALL" ]; podmanArgs = [ "--privileged" ]; exec = "tailscale funnel 443";
      mounts = [ "type=tmpfs,destination=/t" ]; securityLabelDisable = true; seccompProfile = "unconfined";
    }; }`;
    expect(read(text).launches).toMatchObject([
      {
        image: "a:latest",
        network: "host",
        ports: ["80:80"],
        environment: { A: "1" },
        mounts: [
          { kind: "bind", source: "/srv", target: "/opt/data" },
          { kind: "tmpfs", target: "/t" },
        ],
        privileges: [
          "--cap-add=ALL",
          "--security-opt=seccomp=unconfined",
          "--security-opt=label=disable",
          "--privileged",
        ],
        command: ["tailscale", "funnel", "443"],
      },
    ]);
  });

  it("yields a launch for each image that a container may have", () => {
    const text = '{ virtualisation.oci-containers.containers.x.image = if c then "a:1" else "a:latest"; }';
    expect(read(text).launches?.map(({ image }) => image)).toEqual(["a:1", "a:latest"]);
  });

  it("reads file systems, and the shares and volumes of a microvm", () => {
    const text = `{
      fileSystems."/srv/a.b" = { fsType = "nfs"; device = "nas:/x"; };
      microvm.shares = [ { proto = "virtiofs"; source = "/s"; mountPoint = "/opt/data"; } ];
      microvm.volumes = [ { image = "hermes.img"; mountPoint = "/var/lib/hermes"; } ];
    }`;
    expect(read(text).fileSystems).toEqual([
      { at: "guest.nix › fileSystems./srv/a.b", mountPoint: "/srv/a.b", type: "nfs", device: "nas:/x" },
      { at: "guest.nix › microvm.shares.0", mountPoint: "/opt/data", type: "virtiofs", device: "/s" },
      {
        at: "guest.nix › microvm.volumes.0",
        mountPoint: "/var/lib/hermes",
        type: "image",
        device: "hermes.img",
      },
    ]);
  });

  it("never throws", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      "(",
      ")",
      "''",
      '"',
      "${",
      ";",
      "=",
      ".",
      "a",
      "let",
      "in",
      "if",
      "then",
      "else",
    ].concat([
      "inherit",
      "rec",
      "with",
      "x:",
      "{ a, ... }:",
      "@",
      "//",
      "++",
      "+",
      "?",
      "or",
      "1",
      "./x",
      "# c\n",
      "/*",
      "''$",
      "mkIf",
      "-",
    ]);
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((list) => list.join(" "));
    fc.assert(
      fc.property(text, (nix) => void read(nix)),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.string(), (nix) => void read(nix)));
  });

  it("ends where names stand for each other, or for ever more of each other", () => {
    expect(values("let a = b; b = a; in { x = a; }")).toContainEqual(["x", UNKNOWN]);
    read("rec { a = { b = a; }; }");
    const lines = Array.from(
      { length: 40 },
      (_, level) => `a${level + 1} = "${D}{a${level}}${D}{a${level}}";`,
    );
    const lists = lines.map((line) => line.replace(/"(.*)"/, "[ $1 ]").replaceAll(/\$\{(\w+)\}/g, " $1 "));
    const start = cpuTime();
    read(`let a0 = "xxxx"; ${lines.join("\n")} in { x = a40; }`);
    read(`let a0 = [ 1 ]; ${lists.join("\n")} in { x = a40; }`);
    expect(cpuTime() - start).toBeLessThan(3000);
  });

  it("says that something is unknown when it could not read to the end", () => {
    const text = `{ a = ${"(".repeat(5000)}1; b = 2; }`;
    expect(values(text)).toContainEqual(["", UNKNOWN]);
    expect(read(text).unread).toEqual(["guest.nix"]);
    expect(read("{ a = 1; }").unread).toEqual([]);
  });

  it.each([
    ["brackets", "[".repeat(1_000_000)],
    ["braces", "{a=".repeat(330_000)],
    ["functions", "a: ".repeat(330_000)],
    ["interpolations", `"${D}{`.repeat(330_000)],
    ["operators", "a + ".repeat(60_000)],
    ["negations", "!".repeat(250_000)],
    ["an open comment", "/* *".repeat(250_000)],
    ["a long text", `''\n${"  a line of text\n".repeat(60_000)}''`],
    ["a long list", `{ a = [ ${'"x" '.repeat(60_000)}]; }`],
    ["attributes", `{ ${"services.x.y = true;\n".repeat(12_000)}}`],
    ["definitions", `let ${"a.b = 1;\n".repeat(25_000)} in a`],
    ["dots", `a${".b".repeat(120_000)}`],
    ["paths", "a/".repeat(500_000)],
    ["a name", "a".repeat(1_000_000)],
  ])("reads much of nothing but %s within a second", (_, text) => {
    const start = cpuTime();
    read(text);
    expect(cpuTime() - start).toBeLessThan(3000);
  });
});
