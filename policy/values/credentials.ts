/** Credentials that can be told by their form, wherever they stand. */

/** How a kind of credential is told. */
export interface Form {
  readonly what: string;
  readonly pattern: RegExp;
}

/** Those that manage the place that the guest runs in. None of them belongs in the guest. */
export const MANAGEMENT: readonly Form[] = [
  // Proxmox VE API token: USER@REALM!TOKENID=UUID (pve-docs, "API Tokens").
  {
    what: "a Proxmox VE API token",
    pattern: /\b[\w.+-]{1,64}@[\w.-]{1,32}![\w.-]{1,64}[=:][0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i,
  },
  {
    what: "a Proxmox VE session ticket",
    pattern: /\bPVE:[\w.+-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[\w+/=]{20,}/,
  },
  // tailscale.com/kb/1252 (key prefixes). `tskey-auth-` only joins a node: it is meant to be there.
  { what: "a tailnet API key", pattern: /\btskey-api-[A-Za-z0-9-]{8,}/ },
  { what: "a tailnet OAuth client secret", pattern: /\btskey-client-[A-Za-z0-9-]{8,}/ },
  { what: "a tailnet SCIM key", pattern: /\btskey-scim-[A-Za-z0-9-]{8,}/ },
  { what: "a tailnet webhook secret", pattern: /\btskey-webhook-[A-Za-z0-9-]{8,}/ },
  { what: "a Pulumi access token", pattern: /\bpul-[0-9a-f]{40}\b/ },
  {
    what: "a private key",
    pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/,
  },
  { what: "an age private key", pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/ },
];

/** Variables that the tools of these systems read a credential from. */
const VARIABLES =
  /^(PROXMOX_VE_(API_TOKEN|PASSWORD|AUTH_TICKET|SSH_PASSWORD|SSH_PRIVATE_KEY)|PM_(API_TOKEN_SECRET|PASS)|(PVE|PROXMOX)_(PASS|PASSWORD|(API_)?TOKEN(_SECRET)?)|TAILSCALE_(API_KEY|OAUTH_(CLIENT_)?SECRET)|TS_(API_KEY|API_CLIENT_SECRET|OAUTH_SECRET|CLIENT_SECRET)|PULUMI_(ACCESS_TOKEN|CONFIG_PASSPHRASE))$/;
/** Long enough for the shortest credential. */
export const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g;

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

/** What kind of management credential a run of base64 holds. */
export function inBase64(run: string): string | undefined {
  const text = Buffer.from(run, "base64").toString("latin1");
  return MANAGEMENT.find(({ pattern }) => pattern.test(text))?.what;
}
