/** Arguments for OpenSSH, with every host key pinned. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { quote } from "../../scripts/setup/quote.ts";

/** A server that is logged in to. */
export interface Server {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** As `type base64`. */
  readonly hostKey: string;
  /** File of the private key. */
  readonly key: string;
  /** File that is written with the server's key. */
  readonly knownHosts: string;
}

/** Options and destination of one connection, through another server when `jump` is given. */
export function sshArgs(server: Server, jump?: Server): string[] {
  const { host, port, hostKey, knownHosts } = server;
  writeFileSync(knownHosts, `${port === 22 ? host : `[${host}]:${port}`} ${hostKey}\n`);
  const options = [
    "StrictHostKeyChecking=yes",
    `UserKnownHostsFile=${sshPath(knownHosts)}`,
    // Not -i: it looks for the file before % is expanded.
    `IdentityFile=${sshPath(server.key)}`,
    "IdentitiesOnly=yes",
    // Not -J: it passes none of the options above to the connection that it makes first.
    ...(jump === undefined ? [] : [`ProxyCommand=${proxyCommand(jump, `${host}:${port}`)}`]),
  ];
  return ["-p", `${port}`, ...options.flatMap((option) => ["-o", option]), `${server.user}@${host}`];
}

/** ssh expands % and gives the rest to the user's shell. */
const proxyCommand = (jump: Server, target: string): string =>
  ["ssh", "-W", target, ...sshArgs(jump)].map(quote).join(" ").replaceAll("%", "%%");

/** A path as ssh_config(5) takes it: in quotes, since spaces separate; % begins a token. */
const sshPath = (path: string): string => `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;

/** Makes a key pair without a passphrase, unless there is one. */
export function ensureKey(file: string, comment: string): void {
  if (existsSync(file)) return;
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** The public half of a key, with its comment. */
export const publicKey = (file: string): string => readFileSync(`${file}.pub`, "utf8").trim();
