/** What a source and a port of a tailnet's grant say (tailscale.com/kb/1324, "Grants syntax"). */

/** 100.64.0.0/10 and fd7a:115c:a1e0::/48 are all addresses of a tailnet; a shorter prefix holds no fewer. */
const ALL = /^(\*|autogroup:danger-all|[\d.]+\/(\d|10)|[\da-f:]+\/([0-3]?\d|4[0-8]))$/i;

/** Whether a source is everybody, inside the tailnet or outside it. */
export const isEverybody = (source: string): boolean => ALL.test(source.trim());

/** Whether `port` is none of `allowed`. `443` allows TCP and UDP both, and only TCP is served. */
export const isOtherPort = (port: string, allowed: readonly string[]): boolean =>
  !allowed.map(withProtocol).includes(withProtocol(port));

const withProtocol = (port: string): string =>
  port
    .trim()
    .toLowerCase()
    .replace(/^(?=\d)/, "tcp:");
