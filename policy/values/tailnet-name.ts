/** Longer names are cut by nobody before they are refused. */
const LONGEST = 253;

/**
 * What a tailnet makes of a machine's name: its first label in small letters, of letters, digits and inner hyphens only
 * (tailscale.com/util/dnsname, SanitizeHostname). Undefined for what is no name.
 */
export function plainName(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const [label = ""] = name.slice(0, LONGEST).trim().toLowerCase().split(".");
  const words = label.split(/[ _@-]/).map((word) => word.replace(/[^a-z0-9]/g, ""));
  const [first, last] = [words.findIndex(Boolean), words.findLastIndex(Boolean)];
  return words.slice(first, last + 1).join("-");
}

/** The plain name that a service takes: `hermes` of `svc:hermes`. */
export const serviceName = (service: unknown): string | undefined =>
  plainName(typeof service === "string" ? service.replace(/^svc:/i, "") : service);
