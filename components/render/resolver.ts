import { unitFile } from "./systemd.ts";

/**
 * Keeps the guest's resolver from answering its neighbours: systemd-resolved's LLMNR listens on every address (port
 * 5355), also when no link uses it, and nothing but SSH should. systemd-resolved reads the file (resolved.conf(5)).
 */
export const QUIET_RESOLVER = {
  path: "/etc/systemd/resolved.conf.d/90-hermes.conf",
  content: unitFile([
    [
      "Resolve",
      [
        ["LLMNR", "no"],
        ["MulticastDNS", "no"],
      ],
    ],
  ]),
};
