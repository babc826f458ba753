/** Credentials that can be told by their form, wherever they stand. */

interface Form {
  readonly what: string;
  readonly pattern: RegExp;
  /** How much of the beginning may be shown: the part that is the same for all of the kind. */
  readonly shown: number;
}

/** Those that manage the place that the guest runs in. None of them belongs in the guest. */
const MANAGEMENT: readonly Form[] = [
  // Proxmox VE API token: USER@REALM!TOKENID=UUID (pve-docs, "API Tokens").
  {
    what: "a Proxmox VE API token",
    pattern: /\b[\w.+-]{1,64}@[\w.-]{1,32}![\w.-]{1,64}[=:][0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i,
    shown: 0,
  },
  {
    what: "a Proxmox VE session ticket",
    pattern: /\bPVE:[\w.+-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[\w+/=]{20,}/,
    shown: 4,
  },
  // tailscale.com/kb/1252 (key prefixes). `tskey-auth-` only joins a node: it is meant to be there.
  { what: "a tailnet API key", pattern: /\btskey-api-[A-Za-z0-9-]{8,}/, shown: 10 },
  { what: "a tailnet OAuth client secret", pattern: /\btskey-client-[A-Za-z0-9-]{8,}/, shown: 13 },
  { what: "a tailnet SCIM key", pattern: /\btskey-scim-[A-Za-z0-9-]{8,}/, shown: 11 },
  { what: "a tailnet webhook secret", pattern: /\btskey-webhook-[A-Za-z0-9-]{8,}/, shown: 14 },
  { what: "a Pulumi access token", pattern: /\bpul-[0-9a-f]{40}\b/, shown: 4 },
  {
    what: "a private key",
    pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/,
    shown: 27,
  },
  { what: "an age private key", pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/, shown: 16 },
];

/** Others, which may be in a guest but never in a log. */
const OTHER: readonly Form[] = [
  { what: "a tailnet auth key", pattern: /\btskey-[a-z]+-[A-Za-z0-9-]{8,}/, shown: 6 },
  { what: "an API key", pattern: /\bsk-[A-Za-z0-9_-]{20,}/, shown: 3 },
  {
    what: "a token",
    pattern: /\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs])[_-][A-Za-z0-9_-]{16,}/,
    shown: 4,
  },
  { what: "a password in an address", pattern: /(?<=:\/\/[^\s/:@]{0,64}:)[^\s/@]{3,}(?=@)/, shown: 0 },
];

/** Variables that the tools of these systems read a credential from. */
const VARIABLES =
  /^(PROXMOX_VE_(API_TOKEN|PASSWORD|AUTH_TICKET|SSH_PASSWORD|SSH_PRIVATE_KEY)|PM_(API_TOKEN_SECRET|PASS)|(PVE|PROXMOX)_(PASS|PASSWORD|(API_)?TOKEN(_SECRET)?)|TAILSCALE_(API_KEY|OAUTH_(CLIENT_)?SECRET)|TS_(API_KEY|API_CLIENT_SECRET|OAUTH_SECRET|CLIENT_SECRET)|PULUMI_(ACCESS_TOKEN|CONFIG_PASSPHRASE))$/;
/** Long enough for the shortest credential. */
const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g;

/** What kind of management credential stands in `text`, in plain or as base64; undefined when none does. */
export function managementCredential(text: string): string | undefined {
  const plain = MANAGEMENT.find(({ pattern }) => pattern.test(text))?.what;
  if (plain !== undefined) return plain;
  for (const [run] of text.matchAll(BASE64)) {
    const what = inBase64(run);
    if (what !== undefined) return what;
  }
  return undefined;
}

/** Whether a variable of this name is for a management credential. */
export const managementVariable = (name: string): boolean => VARIABLES.test(name);

function inBase64(run: string): string | undefined {
  const text = Buffer.from(run, "base64").toString("latin1");
  return MANAGEMENT.find(({ pattern }) => pattern.test(text))?.what;
}

/** `text` with every credential in it cut down to what all of its kind begin with, so that it may stand in a log. */
export function redacted(text: string): string {
  let shown = text;
  for (const { what, pattern, shown: length } of [...MANAGEMENT, ...OTHER]) {
    const all = new RegExp(pattern.source, `${pattern.flags}g`);
    shown = shown.replace(all, (found) => `${found.slice(0, length)}[${what}]`);
  }
  return shown
    .replace(/(-----BEGIN [A-Z0-9 ]*PRIVATE KEY).*/s, "$1…")
    .replace(BASE64, (run) => (inBase64(run) === undefined ? run : `[${inBase64(run)}]`));
}
