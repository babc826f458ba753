import { isMap, isScalar, parseDocument } from "yaml";

/** A value that a review puts in the place of one that only the owner of a stack has. */
export interface Placeholder {
  /** As `pulumi config set --path` takes it. */
  readonly path: string;
  readonly value: string;
  readonly secret: boolean;
  /** What the stack file holds instead. */
  readonly found: "encrypted" | "not set";
}

/** A stack file that can be read without any key. */
export interface ReviewFile {
  /** The file as it is, without what belongs to its own encryption. */
  readonly text: string;
  /** To be set in it; this also overwrites every encrypted value. */
  readonly placeholders: readonly Placeholder[];
}

/**
 * The only keys that may be secret (components/config/load.ts), and values that have their form and open nothing: a
 * Proxmox token's secret is a UUID, and this is no key material.
 */
export const SECRETS: Readonly<Record<string, string>> = {
  "hermes:ssh.privateKey":
    "-----BEGIN PLACEHOLDER PRIVATE KEY-----\nThis is no key. A review has none.\n-----END PLACEHOLDER PRIVATE KEY-----\n",
  "proxmoxve:apiToken": "review@placeholder!none=this-is-no-token",
};
const AUTHORIZED_KEYS = "hermes:admin.authorizedKeys";
const HOST_KEY = "hermes:ssh.hostKey";
/** 51 zero bytes: a public key begins with the length of its type's name, so sshd never takes this line for one. */
export const NOBODYS_KEY = `ssh-ed25519 ${"A".repeat(68)} placeholder`;

/** What a stack file says of its own encryption (`pulumi stack init`, `pulumi stack change-secrets-provider`). */
const ENCRYPTION = ["encryptionsalt", "encryptedkey", "secretsprovider"];

/**
 * @param file name of the stack file, for errors.
 * @throws Error when it is no YAML, or when a value is encrypted that the gates need to see.
 */
export function reviewFile(source: string, file: string): ReviewFile {
  const document = parseDocument(source, { merge: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(`${file} is no YAML that can be read: ${problem.message}`);
  const root = record(document.toJS({ maxAliasCount: 100 }));
  const config = record(root["config"]);
  const encrypted = Object.entries(config).flatMap(([key, value]) => encryptedPaths(key, value));
  const hidden = encrypted.filter((path) => SECRETS[path] === undefined);
  if (hidden.length > 0) {
    const allowed = Object.keys(SECRETS).join(" and ");
    throw new Error(
      `${file}: ${hidden.join(", ")} ${hidden.length === 1 ? "is" : "are"} encrypted, so no review can judge what will be ` +
        `deployed. Only ${allowed} may be encrypted; set anything else in plain, and keep Hermes' own secrets in /opt/data/.env.`,
    );
  }
  const missing = missingPaths(config).filter((path) => !encrypted.includes(path));
  const placeholder = (path: string, found: Placeholder["found"]): Placeholder => {
    const secret = SECRETS[path];
    if (secret !== undefined) return { path, value: secret, secret: true, found };
    return path === HOST_KEY
      ? { path, value: NOBODYS_KEY.slice(0, NOBODYS_KEY.lastIndexOf(" ")), secret: false, found }
      : { path: `${path}[0]`, value: NOBODYS_KEY, secret: false, found };
  };
  return {
    text: withoutEncryption(source, document.contents),
    placeholders: [
      ...encrypted.map((path) => placeholder(path, "encrypted")),
      ...missing.map((path) => placeholder(path, "not set")),
    ],
  };
}

/** What a shipped file leaves to its owner. */
function missingPaths(config: Readonly<Record<string, unknown>>): string[] {
  const keys = record(config["hermes:admin"])["authorizedKeys"];
  const missing = Array.isArray(keys) && keys.length === 0 ? [AUTHORIZED_KEYS] : [];
  const { kind } = record(config["hermes:guest"]);
  if (kind !== "proxmox" && kind !== "microvm") return missing;
  const ssh = config["hermes:ssh"];
  // A text in the place of an object is the program's to refuse.
  const lacks = (key: string) => ssh === undefined || (isRecord(ssh) && ssh[key] === undefined);
  if (lacks("privateKey")) missing.push("hermes:ssh.privateKey");
  if (kind === "microvm" && lacks("hostKey")) missing.push(HOST_KEY);
  if (kind === "proxmox" && config["proxmoxve:apiToken"] === undefined) missing.push("proxmoxve:apiToken");
  return missing;
}

/** An encrypted value is an object whose only key is `secure`. */
function encryptedPaths(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => encryptedPaths(`${path}[${index}]`, item));
  if (!isRecord(value)) return [];
  const entries = Object.entries(value);
  if (entries.length === 1 && "secure" in value) return [path];
  return entries.flatMap(([key, item]) => encryptedPaths(`${path}.${key}`, item));
}

/** Cuts lines out of the text: written anew from its parsed form, a value could mean something else to the engine. */
function withoutEncryption(source: string, contents: unknown): string {
  if (!isMap(contents)) return source;
  const cuts = contents.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || !ENCRYPTION.includes(String(key.value))) return [];
    const end = isScalar(value) ? value.range?.[2] : undefined;
    return key.range == null || end === undefined ? [] : [[key.range[0], end] as const];
  });
  return cuts
    .toReversed()
    .reduce((text, [start, end]) => `${text.slice(0, start)}${text.slice(end)}`, source);
}

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
