import { BASE64, type Form, inBase64, MANAGEMENT } from "../values/credentials.ts";

/** Others, which may be in a guest but never in a log. */
const OTHER: readonly Form[] = [
  { what: "a tailnet auth key", pattern: /\btskey-[a-z]+-[A-Za-z0-9-]{8,}/ },
  { what: "an API key", pattern: /\bsk-[A-Za-z0-9_-]{20,}/ },
  {
    what: "a token",
    pattern: /\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs])[_-][A-Za-z0-9_-]{16,}/,
  },
  { what: "a password in an address", pattern: /(?<=:\/\/[^\s/:@]{0,64}:)[^\s/@]{3,}(?=@)/ },
];

/** A value that is given by a name that says what it is: `API_KEY=…`, `--token=…`. */
const NAMED = /([\w-]{0,64}(?:key|token|secret|password|passphrase|hash)=)[^\s"'\\[]+/gi;

/** `text` without the credentials in it, each named by its kind, so that it may stand in a log. */
export function redacted(text: string): string {
  // First the bodies of private keys: once its head is cut, nobody knows a body.
  let shown = text.replace(
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|$)/gs,
    "[a private key]",
  );
  for (const { what, pattern } of [...MANAGEMENT, ...OTHER]) {
    shown = shown.replace(new RegExp(pattern.source, `${pattern.flags}g`), `[${what}]`);
  }
  shown = shown.replace(NAMED, "$1[…]");
  return shown.replace(BASE64, (run) => {
    const what = inBase64(run);
    return what === undefined ? run : `[${what}]`;
  });
}
