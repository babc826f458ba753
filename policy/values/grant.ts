import type { Value } from "../pack/resource.ts";
import type { Tree } from "../reading/data/payload.ts";
import { tailnetPolicy } from "../reading/tailnet-policy.ts";

/** What the rules of a tailnet's policy grant (tailscale.com/kb/1324, "Grants syntax"). */

/** Everybody by name; fd7a:115c:a1e0::/48 are all IPv6 addresses of a tailnet, and a shorter prefix holds no fewer. */
const ALL = /^(\*|autogroup:danger-all|[\da-f:]+\/([0-3]?\d|4[0-8]))$/i;
/** 100.64.0.0/10, all IPv4 addresses of a tailnet. Half of them are as good as all. */
const FIRST = 100 * 2 ** 24 + 64 * 2 ** 16;
const COUNT = 2 ** 22;

/** Whether a source is everybody, inside the tailnet or outside it. */
export const isEverybody = (source: string): boolean =>
  ALL.test(source.trim()) || addressesIn(source) >= COUNT / 2;

/** Those of several sources that are everybody, or all of them where they are it together. */
export function everybodyIn(sources: readonly string[]): string[] {
  const alone = sources.filter(isEverybody);
  const together = sources.reduce((sum, source) => sum + addressesIn(source), 0);
  return alone.length === 0 && together >= COUNT / 2 ? [sources.join(", ")] : alone;
}

/** How many of the tailnet's addresses a prefix or a range has. */
function addressesIn(source: string): number {
  const range = /^([\d.]+)(?:-([\d.]+)|\/(\d+))$/.exec(source.trim());
  if (range === null) return 0;
  const [, first, last = first, length = "32"] = range;
  const size = 2 ** (32 - Number(length));
  const prefix = (text: unknown): number => Math.floor(address(String(text)) / size) * size;
  const end = Math.min(prefix(last) + size, FIRST + COUNT);
  return Math.max(0, end - Math.max(prefix(first), FIRST));
}

const address = (text: string): number => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** Whether `port` is none of `allowed`. `443` allows TCP and UDP both, and only TCP is served. */
export const isOtherPort = (port: string, allowed: readonly string[]): boolean =>
  !allowed.map(withProtocol).includes(withProtocol(port));

const withProtocol = (port: string): string =>
  port
    .trim()
    .toLowerCase()
    .replace(/^(?=\d)/, "tcp:");

/** A grant, or a rule of before there were grants. */
export interface Rule {
  readonly at: string;
  readonly portsAt: string;
  readonly src: readonly string[];
  readonly targets: readonly { readonly name: string; readonly ports: readonly string[] }[];
}

/** All rules of a policy file; none of what is no policy file. `place` names the file. */
export function rulesOf(tree: Tree, place: string): Rule[] {
  const policy = tailnetPolicy(tree, place);
  if (policy === undefined) return [];
  return [
    ...policy.grants.map(({ at, src, dst, ip }) => ({
      at,
      portsAt: `${at}.ip`,
      src: words(src),
      targets: words(dst).map((name) => ({ name, ports: words(ip) })),
    })),
    ...policy.acls.map(({ at, src, dst }) => ({
      at,
      portsAt: `${at}.dst`,
      src: words(src),
      targets: words(dst).map((target) => {
        const colon = target.lastIndexOf(":");
        return { name: target.slice(0, colon), ports: target.slice(colon + 1).split(",") };
      }),
    })),
  ];
}

/** The texts of a list, or a text alone. What is not known yet is not among them. */
export function words(value: Value): string[] {
  const list: readonly Value[] = Array.isArray(value) ? value : [value];
  return list.flatMap((entry) =>
    typeof entry === "string" || typeof entry === "number" ? [String(entry)] : [],
  );
}
