import { expect, it } from "vitest";
import { managementCredential } from "../values/credentials.ts";
import { redacted } from "./redacted.ts";

/** Put together here, so that no tool that looks for leaked keys stumbles over it. */
const joined = (...parts: readonly string[]): string => parts.join("");
const BODY = "kAbCdEf12CNTRL-0123456789abcdef";

it.each([
  ["a tailnet auth key", joined("tskey-", "auth-", BODY)],
  ["a tailnet API key", joined("tskey-", "api-", BODY)],
  ["an API key", joined("sk-", "0123456789abcdefghij")],
  ["a token", joined("ghp", "_0123456789abcdefgh")],
  ["a token", joined("github", "_pat_0123456789abcdefgh")],
  ["a token", joined("glpat", "-0123456789abcdefgh")],
  ["a token", joined("xoxb", "-0123456789abcdefgh")],
  ["a Proxmox VE API token", "root@pam!x=12345678-90ab-cdef-1234-567890abcdef"],
])("of %s only the kind is shown", (what, credential) => {
  expect(redacted(`prog ${credential} x ${credential}`)).toBe(`prog [${what}] x [${what}]`);
});

it("a value is cut whose name says what it is", () => {
  expect(redacted("podman run -e OPENAI_API_KEY=hunter2 --token=abc KEYS=1 x")).toBe(
    "podman run -e OPENAI_API_KEY=[…] --token=[…] KEYS=1 x",
  );
});

it("a password in an address is cut, and the address stays", () => {
  expect(redacted("git clone https://me:hunter2@example.com/x")).toBe(
    "git clone https://me:[a password in an address]@example.com/x",
  );
});

it("a private key is cut from its head to its end, and what follows stays", () => {
  const key = joined("-----BEGIN OPENSSH PRIVATE", " KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE KEY-----");
  expect(redacted(`echo ${key}. Take it out.`)).toBe("echo [a private key]. Take it out.");
});

it("of a private key that was cut short nothing is shown", () => {
  expect(redacted(joined("echo -----BEGIN OPENSSH PRIVATE", " KEY-----\nb3BlbnNz"))).toBe(
    "echo [a private key]",
  );
});

it("an encoded credential is cut as a whole", () => {
  const encoded = Buffer.from(joined("tskey-", "api-", BODY)).toString("base64");
  expect(redacted(`echo ${encoded} | base64 -d`)).toBe("echo [a tailnet API key] | base64 -d");
});

it("a text without credentials stays as it is", () => {
  const text = `podman run docker.io/x/y:v1.0.0@sha256:${"a".repeat(64)} task-runner http://127.0.0.1:9119/a@b`;
  expect(redacted(text)).toBe(text);
});

it("megabytes without a credential are read in no time", () => {
  const started = performance.now();
  for (const piece of ["a", "A", " ", "a@", "-----BEGIN ", "://a:", "tskey-"]) {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(managementCredential(text)).toBeUndefined();
    redacted(text);
  }
  // What is quadratic takes minutes.
  expect(performance.now() - started).toBeLessThan(20_000);
});
