/**
 * What a tailnet makes of a machine's name: its first label in small letters, of letters, digits and inner hyphens only
 * (tailscale.com/util/dnsname, SanitizeHostname).
 */
export function plainName(name: string): string {
  const label = name.toLowerCase().replace(/\..*/s, "");
  const words = label.split(/[\s_@-]/).map((word) => word.replace(/[^a-z0-9]/g, ""));
  const [first, last] = [words.findIndex(Boolean), words.findLastIndex(Boolean)];
  return words.slice(first, last + 1).join("-");
}

/** The plain name that a service takes: `hermes` of `svc:hermes`. */
export const serviceName = (service: unknown): string | undefined =>
  typeof service === "string" ? plainName(service.replace(/.*:/s, "")) : undefined;
