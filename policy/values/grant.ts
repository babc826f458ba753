import type { Value } from "../pack/resource.ts";
import type { Tree } from "../reading/data/payload.ts";
import { tailnetPolicy } from "../reading/tailnet-policy.ts";

/** What the rules of a tailnet's policy grant (tailscale.com/kb/1324, "Grants syntax"). */

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
