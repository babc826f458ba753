import { z } from "zod";

/** An IPv4 address as a number, or undefined when it is not one. */
export function ipv4(text: string): number | undefined {
  const octets = text.split(".");
  if (
    octets.length !== 4 ||
    !octets.every((octet) => /^(0|[1-9]\d{0,2})$/.test(octet) && Number(octet) <= 255)
  ) {
    return undefined;
  }
  return octets.reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

/** Splits `10.32.21.110/24`; undefined when it is not an address with a prefix length of 1 to 30. */
export function cidr(text: string): { address: string; prefix: number; network: number } | undefined {
  const [address = "", prefix = "", ...rest] = text.split("/");
  const number = ipv4(address);
  if (number === undefined || rest.length > 0 || !/^\d{1,2}$/.test(prefix)) return undefined;
  const bits = Number(prefix);
  if (bits < 1 || bits > 30) return undefined;
  return { address, prefix: bits, network: networkOf(number, bits) };
}

/** The network address of `address` under a prefix of `bits`. */
export function networkOf(address: number, bits: number): number {
  const size = 2 ** (32 - bits);
  return Math.floor(address / size) * size;
}

/** A DNS label: what a hostname, a tap or a unit can be called. */
export const label = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    "must be a DNS label: a-z, 0-9 and inner hyphens, at most 63",
  );

export const address = z
  .string()
  .refine(isHost, "must be a host's IPv4 address with a prefix length, as in 10.32.21.110/24");

/** Neither the network's own address nor its broadcast address. */
function isHost(text: string): boolean {
  const parts = cidr(text);
  if (parts === undefined) return false;
  const host = (ipv4(parts.address) ?? 0) - parts.network;
  return host !== 0 && host !== 2 ** (32 - parts.prefix) - 1;
}

export const plainAddress = z
  .string()
  .refine((text) => ipv4(text) !== undefined, "must be an IPv4 address without a prefix, as in 10.32.21.1");

/** An absolute path without `..`, `//` or a trailing slash (except `/` itself), nor what a unit file would read as syntax. */
export const path = z
  .string()
  .regex(
    /^\/([A-Za-z0-9._@+-]+(\/[A-Za-z0-9._@+-]+)*)?$/,
    "must be an absolute, normalised path of plain characters",
  )
  .refine((text) => !/\/\.{1,2}(\/|$)/.test(text), "must not contain . or ..");

export const publicKey = z
  .string()
  .regex(
    /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) [A-Za-z0-9+/]{60,}={0,2}( [^\p{Cc}]*)?$/u,
    "must be one line of an OpenSSH public key (ssh-ed25519 AAAA… comment)",
  );

/** A server's public key, to pin connections to. */
export const hostKey = z.string().regex(
  // A pinned RSA key never matches: the provider then offers only ssh-rsa with SHA-1, which sshd refuses.
  /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]{60,}={0,2}$/,
  "must be an Ed25519 or ECDSA key as `type base64`, without a comment",
);
