# The system: everything that the guest's activation reads, in one store path.
{
  lib,
  config,
  pkgs,
  ...
}:
let
  inherit (lib) mkOption types;

  failed = map ({ message, ... }: message) (
    lib.filter ({ assertion, ... }: !assertion) config.assertions
  );

  # Packages stand for their store paths, so that Nix builds what is named here.
  system = {
    inherit (config)
      environment
      fileSystems
      networking
      services
      system
      systemd
      time
      users
      virtualisation
      ;
    sudoers = lib.optionalString config.security.sudo.enable config.security.sudo.configFile;
  };
  text = builtins.toJSON (
    system
    // {
      system = removeAttrs config.system [ "build" ];
    }
  );

  toplevel =
    pkgs.runCommand "nixos-system-${config.networking.hostName}-lab"
      {
        inherit text;
        passAsFile = [ "text" ];
        init = "#!/bin/sh\n# What NixOS calls stage 2: puts the system in place, then becomes systemd.\nexec /usr/lib/lab/guest-activate \"@out@/system.json\"\n";
      }
      ''
        mkdir -p "$out"
        cp "$textPath" "$out/system.json"
        printf '%s' "$init" | sed "s|@out@|$out|" > "$out/init"
        chmod +x "$out/init"
      '';
in
{
  options.system.build.toplevel = mkOption { type = types.package; };

  config.system.build.toplevel =
    if failed != [ ] then
      throw "\nFailed assertions:\n${lib.concatMapStringsSep "\n" (message: "- ${message}") failed}"
    else
      builtins.foldl' (value: message: lib.warn message value) toplevel config.warnings;
}
