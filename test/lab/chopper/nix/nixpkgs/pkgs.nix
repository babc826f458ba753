# Stands in for the package set. Programs are Debian's, below /usr of the lab's host and guest; texts become real
# store paths, made by real derivations.
{ lib, system }:
let
  # The lab builds without a sandbox, so that Debian's programs can be used.
  run =
    name: environment: script:
    derivation (
      {
        inherit name system;
        builder = "/bin/sh";
        args = [
          "-euc"
          ''
            PATH=/usr/bin:/bin
            ${script}''
        ];
      }
      // environment
    );

  debian = name: {
    inherit name;
    type = "derivation";
    outPath = "/usr";
  };

  runtimeShell = "/bin/bash";

  written =
    name: text: script:
    run name {
      inherit text;
      passAsFile = [ "text" ];
    } script
    // {
      inherit text;
    };
in
lib.genAttrs [
  "acl"
  "bash"
  "coreutils"
  "curl"
  "e2fsprogs"
  "findutils"
  "gawk"
  "getent"
  "gnugrep"
  "gnused"
  "iproute2"
  "openssh"
  "podman"
  "systemd"
  "tailscale"
  "util-linux"
] debian
// {
  inherit lib runtimeShell;
  runCommand = run;

  writeText = name: text: written name text ''cp "$textPath" "$out"'';

  writeShellScript =
    name: text:
    written name "#!${runtimeShell}\n${text}\n" ''
      ${runtimeShell} -n "$textPath"
      cp "$textPath" "$out"
      chmod +x "$out"
    '';

  writeShellScriptBin =
    name: text:
    written name "#!${runtimeShell}\n${text}\n" ''
      ${runtimeShell} -n "$textPath"
      mkdir -p "$out/bin"
      cp "$textPath" "$out/bin/${name}"
      chmod +x "$out/bin/${name}"
    '';
}
