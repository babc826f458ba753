{ lib, config, ... }:
let
  inherit (lib) mkOption types;

  # A section of a .network file. NixOS checks the keys, too, when the file is made.
  section =
    name: keys:
    mkOption {
      type = types.attrsOf types.unitOption;
      default = { };
      apply =
        values:
        let
          unknown = lib.filter (key: !(lib.elem key keys)) (lib.attrNames values);
        in
        if unknown == [ ] then
          values
        else
          throw "systemd.network: ${name} has a key that systemd-networkd does not know or the lab does not: `${lib.head unknown}'.";
    };

  strings = mkOption {
    type = types.listOf types.str;
    default = [ ];
  };
in
{
  options = {
    networking = {
      hostName = mkOption {
        # RFC 1035 names, as NixOS asks for.
        type = types.strMatching "|[[:alnum:]]([[:alnum:]_-]{0,61}[[:alnum:]])?";
        default = "nixos";
      };
      useNetworkd = mkOption {
        type = types.bool;
        default = false;
      };
      useDHCP = mkOption {
        type = types.bool;
        default = true;
      };
      nameservers = strings;
      firewall.enable = mkOption {
        type = types.bool;
        default = true;
      };
      firewall.allowedTCPPorts = mkOption {
        type = types.listOf types.port;
        default = [ ];
      };
    };
    systemd.network = {
      enable = mkOption {
        type = types.bool;
        default = false;
      };
      networks = mkOption {
        type = types.attrsOf (
          types.submodule {
            options = {
              matchConfig = section "matchConfig" [
                "MACAddress"
                "PermanentMACAddress"
                "Name"
                "Type"
                "Kind"
                "Driver"
                "Path"
              ];
              linkConfig = section "linkConfig" [
                "MACAddress"
                "MTUBytes"
                "RequiredForOnline"
                "Unmanaged"
              ];
              networkConfig = section "networkConfig" [
                "Description"
                "DHCP"
                "DNSSEC"
                "Domains"
                "IPv6AcceptRA"
                "LinkLocalAddressing"
                "LLMNR"
                "MulticastDNS"
              ];
              address = strings;
              gateway = strings;
              dns = strings;
              domains = strings;
            };
          }
        );
        default = { };
      };
    };
  };

  config = lib.mkIf config.networking.useNetworkd { systemd.network.enable = true; };
}
