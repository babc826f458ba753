import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandSpec } from "../../../components/command/command-spec.ts";
import { launchSpec } from "../../../components/container/launch-spec.ts";
import type { Readiness } from "../../../components/parts/part.ts";
import { commandFiles } from "../../../components/render/nixos/command.ts";
import { containerFile } from "../../../components/render/nixos/container.ts";
import { flakeFile } from "../../../components/render/nixos/flake.ts";
import type { FlakeFile } from "../../../components/render/nixos/flake-file.ts";
import { machineFile } from "../../../components/render/nixos/machine.ts";
import { probeFile } from "../../../components/render/nixos/probe.ts";
import { tailscaleFile } from "../../../components/render/nixos/tailscale.ts";
import { usersFile } from "../../../components/render/nixos/users.ts";
import { evaluated, nixPath, syntaxProblem, temporaryFolder } from "../nix.ts";
import type { MicrovmSettings } from "./arbitrary-settings.ts";

/** For tests: what Nix makes of the rendered files. */

export const READINESS: Readiness = {
  unit: "hermes.service",
  url: "http://127.0.0.1:9119/api/status",
  timeoutSeconds: 600,
};

/** All files of a guest's flake. */
export function renderedFlake(settings: MicrovmSettings): FlakeFile[] {
  const { guest, admin, container, hostUsers = [admin.user] } = settings;
  const launch = launchSpec(container, hostUsers);
  const files = [
    machineFile(guest),
    usersFile(admin),
    tailscaleFile(guest),
    ...commandFiles(commandSpec(launch, hostUsers)),
    containerFile(launch),
    probeFile(READINESS),
  ].filter((file) => file !== undefined);
  const modules = files.map(({ name }) => name).filter((name) => name.endsWith(".nix"));
  return [flakeFile(guest, modules), ...files];
}

/**
 * Stand-ins for what NixOS hands to a module and a flake: no more than the rendered files call. `nixosSystem` gives
 * its arguments back, `writeShellScriptBin` name and text.
 */
const STAND_INS = `
  lib.fileContents = path: builtins.head (builtins.match "(.*)\\n" (builtins.readFile path));
  pkgs = {
    runtimeShell = "/bin/sh";
    writeShellScriptBin = name: text: { inherit name text; };
    runCommand = name: environment: script: { inherit name script; outPath = "/nix/store/\${name}"; };
    acl = "acl";
    coreutils = "coreutils";
    getent = "getent";
    util-linux = "util-linux";
  };
  called = module: if builtins.isFunction module then module { inherit lib pkgs; } else module;
  inputs = {
    nixpkgs.lib.nixosSystem = system: system // { modules = map (m: baseNameOf (toString m)) system.modules; };
    microvm.nixosModules.microvm = "microvm";
    self = throw "the flake must not depend on itself";
  };
  flake = text: text // { outputs = text.outputs inputs; };
  read = folder: name: _: let value = import (folder + "/\${name}"); in
    if name == "flake.nix" then flake value else called value;
  isNix = name: _: builtins.match ".*\\.nix" name != null;
  nixFiles = folder: filtered isNix (builtins.readDir folder);
  filtered = keep: set: builtins.listToAttrs (map (name: { inherit name; value = set.\${name}; })
    (builtins.filter (name: keep name set.\${name}) (builtins.attrNames set)));
`;

/** Every file of each flake as data, by its name. One run of Nix parses them all, another evaluates them. */
export function evaluatedFlakes(flakes: ReadonlyArray<readonly FlakeFile[]>): Record<string, unknown>[] {
  const each = "map (folder: builtins.mapAttrs (read folder) (nixFiles folder))";
  return inFolders(flakes, (folders) => `let ${STAND_INS} in ${each} ${folders}`) as Record<
    string,
    unknown
  >[];
}

/**
 * One option of each flake's merged system, as the lab's stand-in for NixOS makes it: it refuses an option that it
 * does not know and a value of another type.
 */
export function evaluatedOption(flakes: ReadonlyArray<readonly FlakeFile[]>, option: string): unknown[] {
  const system = `import ${nixPath(resolve("test/lab/chopper/nix/system.nix"))}`;
  return inFolders(
    flakes,
    (folders) => `map (flakeFolder: (${system} { inherit flakeFolder; }).config.${option}) ${folders}`,
  ) as unknown[];
}

function inFolders(
  flakes: ReadonlyArray<readonly FlakeFile[]>,
  expression: (folders: string) => string,
): unknown {
  using root = temporaryFolder();
  const files = flakes.map((flake, index) => {
    const folder = join(root.path, String(index));
    mkdirSync(folder);
    writeFileSync(join(folder, "hermes-probe"), "#!/bin/sh\n");
    writeFileSync(join(folder, "probe.pub"), "ssh-ed25519 AAAA probe\n");
    for (const { name, text } of flake) writeFileSync(join(folder, name), text);
    return { folder, paths: flake.map(({ name }) => join(folder, name)) };
  });
  const problem = syntaxProblem(files.flatMap(({ paths }) => paths.filter((path) => path.endsWith(".nix"))));
  if (problem !== undefined) throw new Error(problem);
  return evaluated(expression(`[ ${files.map(({ folder }) => nixPath(folder)).join(" ")} ]`));
}
