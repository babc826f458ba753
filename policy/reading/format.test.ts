import { describe, expect, it } from "vitest";
import type { Format } from "./content.ts";
import { formatOf, formatsOf } from "./format.ts";

const at = (path: string, text = "some words"): Format => formatOf({ at: "it", path, text });
const byText = (text: string): Format => formatOf({ at: "it", text });

/** Names of files, by what they are whatever stands in them. */
const NAMES: readonly (readonly [Format, readonly string[]])[] = [
  ["unit", ["a.container", "a.volume", "a.network", "a.kube", "a.pod", "a.image", "a.build"]],
  ["unit", ["a.service", "a.socket", "a.timer", "a.path", "a.mount", "a.automount", "a.target", "a.slice"]],
  ["unit", ["a.swap", "a.scope", "a.netdev", "a.link"]],
  ["unit", ["/etc/systemd/system.conf", "/etc/containers/systemd/a/b.conf"]],
  ["unit", ["a.service.d/b.conf", "a.container.d/b.conf", "a.volume.d/b.conf", "a.network.d/b.conf"]],
  ["unit", ["a.kube.d/b.conf", "a.pod.d/b.conf", "a.image.d/b.conf", "a.build.d/b.conf"]],
  ["unit", ["a.mount.d/b.conf", "a.socket.d/b.conf", "a.timer.d/b.conf"]],
  [
    "containerfile",
    ["Containerfile", "/srv/Dockerfile", "x.dockerfile", "Dockerfile.base", "Dockerfile-base"],
  ],
  ["yaml", ["a.yaml", "a.YML", "a.cfg"]],
  ["json", ["a.json", "a.hujson", "a.jsonc"]],
  ["nix", ["a.nix"]],
  ["shell", ["a.sh", "a.bash", "a.bashrc", "a.profile"]],
  ["script", ["a.py", "a.pl", "a.rb", "a.js", "a.mjs", "a.cjs", "a.ts", "a.lua", "a.php"]],
  ["environment", ["env", "/srv/.env", "a.env", "a.env.local", "/etc/environment", "/etc/environment.d/a"]],
  ["environment", ["/etc/default/a", "/etc/conf.d/a", "/etc/sysconfig/a"]],
  ["fstab", ["/etc/fstab"]],
  ["cron", ["/etc/crontab", "/etc/cron.d/a", "/var/spool/cron/root"]],
  ["prose", ["a.md", "a.txt", "a.rst", "a.html", "/etc/motd", "/etc/issue", "/etc/issue.net"]],
  ["prose", ["/srv/LICENSE", "/srv/README", "/srv/fstab", "/srv/crontab", "a.nixos", "a.yamlx", "a"]],
];

describe("a file", () => {
  it.each(NAMES.flatMap(([format, names]) => names.map((name) => [name, format] as const)))(
    "called %s is %s",
    (name, format) => {
      expect(at(name)).toBe(format);
    },
  );

  it.each([
    "/usr/bin/a",
    "/usr/sbin/a",
    "/usr/libexec/a",
    "/etc/rc.local",
    "/etc/profile",
    "/etc/zsh/zshrc",
    "/root/.bashrc",
    "/root/.bash_profile",
    "/root/.profile",
    "/etc/cron.daily/a",
    "/etc/update-motd.d/a",
    "/etc/network/if-up.d/a",
    "/etc/NetworkManager/dispatcher.d/a",
    "/usr/lib/systemd/system-generators/a",
    "/var/lib/cloud/scripts/per-boot/a",
  ])("at %s is run by a shell", (path) => {
    expect(at(path)).toBe("shell");
  });

  it("that is executable is run by a shell, whatever it is called", () => {
    expect(formatOf({ at: "it", path: "/srv/a.txt", text: "ls", executable: true })).toBe("shell");
    expect(formatOf({ at: "it", path: "/srv/a.txt", text: "ls" })).toBe("prose");
  });

  it("is what it says itself before what it is called", () => {
    expect(formatOf({ at: "it", path: "a.nix", text: "[Unit]", format: "json" })).toBe("json");
    expect(at("a.nix", "#!/bin/sh\n")).toBe("shell");
    expect(at("a.yaml", "[Unit]\n")).toBe("unit");
    expect(at("a.txt", "#cloud-config\n")).toBe("yaml");
    expect(at("a.yaml", "{}")).toBe("yaml");
    expect(formatsOf({ at: "it", path: "a.container", text: "#cloud-config" })).toEqual(["unit", "yaml"]);
    expect(formatsOf({ at: "it", path: "a.container", text: "{}" })).toEqual(["unit", "json"]);
    expect(formatsOf({ at: "it", path: "a.py", text: "{}" })).toEqual(["script"]);
  });
});

describe("a text without a name", () => {
  it.each<readonly [string, Format]>([
    ["#cloud-config\n", "yaml"],
    ["#cloud-boothook\n", "yaml"],
    ["#include\n", "yaml"],
    ["#part-handler\n", "yaml"],
    ["## template: jinja\n", "yaml"],
    ["Content-Type: multipart/mixed\n", "yaml"],
    ["MIME-Version: 1.0\n", "yaml"],
    ["\uFEFF#cloud-config\n", "yaml"],
    ["services:\n  a: b", "yaml"],
    ["apiVersion: v1\n", "yaml"],
    ["# ours\n; too\n\n[Container]\nImage=x", "unit"],
    ["[container]", "prose"],
    ["// ours\n{", "json"],
    ['{ "a": 1 }', "json"],
    ["[]", "json"],
    ["{}", "json"],
    ["[{", "json"],
    ["[[", "json"],
    ["{ // ours", "json"],
    ["{ /* ours", "json"],
    ["{ pkgs, ... }:\n{ }", "nix"],
    ["_: { a = 1; }", "nix"],
    ["args@{ ... }: x;", "prose"],
    ["{ ... } @ args: x", "nix"],
    ["runcmd:\n  - ls", "yaml"],
    ["final: prev: { a = 1; }", "nix"],
    ["A=1\n# ours\nexport b.c = 2", "environment"],
    ["A=1\nand words", "prose"],
    ["Dear reader, mind the funnel.", "prose"],
    ["", "prose"],
  ])("%j is %s", (text, format) => {
    expect(byText(text)).toBe(format);
  });

  it("is a file of variables by one line, where a path says that it is a file", () => {
    expect(at("/srv/a", "words\nexport A_1=1")).toBe("environment");
    expect(at("/srv/a", "words\na=1")).toBe("prose");
  });
});
