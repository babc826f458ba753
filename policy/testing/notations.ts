import type { Case } from "./cases.ts";

/** The ways by which a text comes to a guest or to the machine that deploys: gates' cases say the same thing in each. */

type Resources = Case["resources"];

/** A command over SSH. */
export const remote = (create: unknown, more: object = {}): Resources => [
  { type: "command:remote:Command", props: { create, ...more } },
];

/** A command on the machine that deploys. */
export const local = (create: unknown, more: object = {}): Resources => [
  { type: "command:local:Command", props: { create, ...more } },
];

/** A file that a command writes from its standard input. */
export const file = (path: string, text: string): Resources =>
  remote(`sudo -n tee ${path} > /dev/null`, { stdin: text });

/** A file as the project itself installs it: JSON on standard input, a text line by line. */
export const part = (path: string, text: string): Resources =>
  remote("sudo -n /opt/hermes-guest/hermes-guest stage container", {
    stdin: JSON.stringify({ name: "container", files: [{ path, mode: "0644", content: text.split("\n") }] }),
  });

/** Cloud-init user data in a snippet on Proxmox VE. */
export const snippet = (config: object): Resources => [
  {
    type: "proxmoxve:index/fileLegacy:FileLegacy",
    props: { contentType: "snippets", sourceRaw: { data: `#cloud-config\n${JSON.stringify(config)}\n` } },
  },
];

/** The unit of a Quadlet container. */
export const quadlet = (...lines: string[]): Resources =>
  file("/etc/containers/systemd/hermes.container", `[Container]\n${lines.join("\n")}\n`);

/** A drop-in of it. */
export const dropIn = (...lines: string[]): Resources =>
  file("/etc/containers/systemd/hermes.container.d/more.conf", `[Container]\n${lines.join("\n")}\n`);

/** A NixOS module. */
export const nix = (body: string): Resources =>
  file("/etc/nixos/hermes.nix", `{ pkgs, ... }:\n{\n  ${body}\n}\n`);
