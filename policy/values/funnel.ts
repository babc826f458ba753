import type { Setting } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";

/**
 * Words that the name of a setting for Funnel is made of: `AllowFunnel` (in small letters too, as Go reads JSON),
 * `tailscale.com/funnel`, `TSIDP_USE_FUNNEL`, NixOS' `enableFunnel`, tsbridge's `funnel_enabled`, `tsdproxy.funnel`,
 * `docktail.funnel.enable`. A name with another word in it is about something else.
 */
const WORDS: ReadonlySet<string> = new Set([
  "allow",
  "allowfunnel",
  "com",
  "docktail",
  "enable",
  "enabled",
  "funnel",
  "tailscale",
  "tsdproxy",
  "tsidp",
  "use",
]);
/** Go's `strconv.ParseBool`, YAML's and systemd's false, and what people write. */
const FALSE =
  /^(|0|f|false|n|no|off|none|null|never|disable|disabled|deny|denied|block|blocked|refuse|refused|forbid|forbidden)$/i;

/**
 * The settings that turn Funnel on by their name and value: `AllowFunnel: {"host:443": true}` (ipn.ServeConfig),
 * `useFunnel = true` (tsidp), `tailscale.com/funnel: "true"` (the Kubernetes operator), `funnel: true`. Those beside an
 * `enable = false` are left out.
 */
export function funnelSettings(settings: readonly Setting[]): Setting[] {
  const off = new Set(settings.filter(switchesOff).map((setting) => above(setting, setting.path.length - 1)));
  return settings.filter(
    (setting) =>
      funnelSetting(setting) &&
      !setting.path.some((key, index) => namesFunnel(key) && off.has(above(setting, index + 1))),
  );
}

function funnelSetting({ at, path, value }: Setting): boolean {
  if (!path.some(namesFunnel)) return false;
  // A property (of a component: its args) that is not known yet is judged when it is; what a text leaves open stays so.
  if (value === UNKNOWN) return at !== path.join(".") && at !== "args";
  if (typeof value !== "string") return value === true || (typeof value === "number" && value !== 0);
  // A sentence is no value.
  return !/\S\s+\S/.test(value) && !FALSE.test(value.trim());
}

const switchesOff = ({ path, value }: Setting): boolean =>
  /^enabled?$/i.test(String(path.at(-1))) && FALSE.test(String(value));

/** The place of the first `count` keys. */
const above = ({ at, path }: Setting, count: number): string =>
  `${at.slice(0, at.length - path.join(".").length)}${path.slice(0, count)}`;

function namesFunnel(key: string): boolean {
  // A path is no name of a setting: `Handlers: {"/funnel": …}`.
  if (key.startsWith("/") || !/funnel/i.test(key)) return false;
  const words = key
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]/);
  return words.every((word) => word === "" || WORDS.has(word));
}

/** Whether a setting is a node attribute of a tailnet policy that gives the right to Funnel (tailcfg.NodeAttrFunnel). */
export function grantsFunnel({ path, value }: Setting): boolean {
  // The attributes are a list, and Go's JSON decoder takes the names of fields whatever their case.
  const name = path.findLast((key) => !(Number(key) >= 0))?.toLowerCase();
  return (
    name === "attr" &&
    /^(funnel|https:\/\/tailscale\.com\/cap\/funnel(-ports.*)?)$/i.test(String(value).trim())
  );
}
