import { describe, expect, it } from "vitest";
import { readNix } from "./nix.ts";

const D = "$";
const texts = (nix: string) =>
  (readNix({ text: nix, at: "x" }).texts ?? []).map(({ at: _, ...text }) => text);

describe("texts in Nix", () => {
  it.each([
    "systemd.services.x.script",
    "systemd.services.x.preStart",
    "system.activationScripts.x",
    "system.activationScripts.x.text",
    "networking.localCommands",
    "environment.interactiveShellInit",
  ])("reads %s as shell", (option) => {
    expect(texts(`{ ${option} = "tailscale funnel 443"; }`)).toEqual([
      { text: "tailscale funnel 443", format: "shell" },
    ]);
  });

  it("gives a program of a package its name, and an unset variable for what is unknown", () => {
    const nix = `{ pkgs, lib, port, ... }: { a.script = ''
      ${D}{pkgs.tailscale}/bin/tailscale funnel ${D}{toString port} ''${D}{HOME}
      ${D}{lib.getExe pkgs.tailscale} up
      ${D}{lib.getExe' pkgs.podman "podman"} ps
    ''; }`;
    expect(texts(nix)).toEqual([
      {
        format: "shell",
        text: `/nix/store/unknown/bin/tailscale funnel $UNKNOWN_NIX_VALUE ${D}{HOME}
/nix/store/unknown/bin/tailscale up
/nix/store/unknown/bin/podman ps
`,
      },
    ]);
  });

  it("reads commands of units, one by one, in the place of a unit", () => {
    const nix = `{ systemd.services.x.serviceConfig = { ExecStart = [ "" "tailscale serve 443" ]; ExecStop = "id"; }; }`;
    expect(texts(nix)).toEqual([
      { format: "unit", text: "[Service]\nExecStart=" },
      { format: "unit", text: "[Service]\nExecStart=tailscale serve 443" },
      { format: "unit", text: "[Service]\nExecStop=id" },
    ]);
  });

  it("joins what is put together from known texts", () => {
    const nix = `{ a.script = "tailscale " + "funnel " + toString 443; b.script = lib.concatStringsSep " " [ "tailscale" "up" ]; }`;
    expect(texts(nix).map(({ text }) => text)).toEqual(["tailscale funnel 443", "tailscale up"]);
  });

  it("gives a file of /etc its path", () => {
    expect(texts('{ environment.etc."containers/x.conf".text = "a"; }')).toEqual([
      { path: "/etc/containers/x.conf", text: "a" },
    ]);
  });

  it.each([
    ['pkgs.writeShellScript "x" "id"', { format: "shell", text: "id" }],
    ['pkgs.writeShellScriptBin "x" "id"', { format: "shell", text: "id" }],
    ['pkgs.writeShellApplication { name = "x"; text = "id"; }', { format: "shell", text: "id" }],
    ['pkgs.writeScript "x" "#!/bin/sh\\nid"', { text: "#!/bin/sh\nid" }],
    ['pkgs.writers.writePython3 "x" { } "import os"', { format: "script", text: "import os" }],
    ['pkgs.writeText "serve.json" "{}"', { path: "serve.json", text: "{}" }],
  ])("reads what is written by %s", (expression, expected) => {
    expect(texts(`{ environment.systemPackages = [ (${expression}) ]; }`)).toEqual([expected]);
    expect(texts(`{ x.serviceConfig.ExecStart = "${D}{${expression}}"; }`)).toContainEqual(expected);
  });

  it("takes a description for no text to read", () => {
    expect(texts('{ systemd.services.x.description = "tailscale funnel 443"; }')).toEqual([]);
  });
});
