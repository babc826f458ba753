import fc from "fast-check";
import type { MicrovmGuestSettings } from "../../../components/config/microvm-guest.ts";
import { type Settings, settings } from "../../../components/config/schema.ts";

/** For tests: settings of a microvm that the schema takes, with what means something to Nix, systemd or a shell. */

export type MicrovmSettings = Settings & { readonly guest: MicrovmGuestSettings };

/** Pieces that mean something in Nix's strings and in a shell's, among ordinary ones. No control characters. */
const PIECES =
  "a Z 9 $ { } ${ $${ \\${ ''${ \\ \" ' '' ''' ` $(id) %n %% ; & | # /* */ -- = é 漢 😀 \u2028 \ufeff";
const text = fc
  .array(fc.constantFrom(" ", ...PIECES.split(" ")), { maxLength: 10 })
  .map((pieces) => pieces.join(""));
const word = text.filter((given) => given !== "" && given !== ";");
const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const label = fc.oneof(
  fc.constantFrom("in", "rec", "with", "or", "vm-hermes", "0x", "7"),
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/),
);
const path = fc
  .array(fc.stringMatching(/^[A-Za-z0-9_@+-][A-Za-z0-9._@+-]{0,8}$/), { minLength: 1, maxLength: 3 })
  .map((names) => `/${names.join("/")}`);
const address = fc.array(fc.integer({ min: 1, max: 254 }), { minLength: 3, maxLength: 3 });

const publicKey = fc
  .tuple(fc.constantFrom("ssh-ed25519", "ssh-rsa"), fc.stringMatching(/^[A-Za-z0-9+/]{68}$/), fc.option(text))
  .map((parts) => parts.filter((part) => part !== null).join(" "));

const disk = fc.record({
  name: fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/),
  mountPoint: path,
  sizeMiB: fc.integer({ min: 256, max: 2 ** 30 }),
  persistent: fc.boolean(),
});

const guest = fc
  .record({
    hostname: label,
    vcpus: fc.integer({ min: 1, max: 64 }),
    memoryMiB: fc.integer({ min: 512, max: 2 ** 20 }),
    network: address,
    nameservers: fc.option(fc.array(address, { minLength: 1, maxLength: 3 })),
    disks: fc.uniqueArray(disk, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
    hypervisor: fc.constantFrom("qemu", "cloud-hypervisor"),
    system: fc.constantFrom("x86_64-linux", "aarch64-linux"),
    stateVersion: fc.constantFrom("25.11", "26.05"),
    revisions: fc.tuple(hex(40), hex(40)),
    tap: fc.stringMatching(/^[a-z][a-z0-9-]{0,14}$/),
    mac: hex(10).map((digits) => `02:${digits.match(/../g)?.join(":")}`),
    vsockCid: fc.integer({ min: 3, max: 999_999_999 }),
    credentialFiles: fc.dictionary(fc.stringMatching(/^[A-Z][A-Za-z0-9_.-]{0,20}$/), path, { maxKeys: 3 }),
    authKeyKind: fc.constantFrom("auth-key", "oauth-client-secret"),
    tags: fc.option(
      fc.array(
        label.map((name) => `tag:x${name}`),
        { minLength: 1, maxLength: 2 },
      ),
    ),
  })
  .map(({ network, nameservers, revisions, tags, authKeyKind, ...plain }) => ({
    ...plain,
    kind: "microvm",
    address: `10.${network.join(".")}/8`,
    gateway: "10.0.0.1",
    ...(nameservers === null ? {} : { nameservers: nameservers.map((rest) => `9.${rest.join(".")}`) }),
    inputs: {
      nixpkgs: `github:NixOS/nixpkgs/${revisions[0]}`,
      microvm: `git+https://example.org/microvm?rev=${revisions[1]}`,
    },
    ...(tags === null
      ? {}
      : { tailscale: { tags, authKey: Object.keys(plain.credentialFiles)[0] ?? "KEY", authKeyKind } }),
  }));

const volume = fc.oneof(
  fc.record({ source: path, target: path, kind: fc.constant("bind"), readOnly: fc.boolean() }),
  fc.record({ source: path, target: path, kind: fc.constantFrom("bind", "tmpfs", "anonymous") }),
);
const container = fc.record({
  image: fc.constantFrom(
    "docker.io/nousresearch/hermes-agent:v2026.7.20",
    `registry.example.org:5000/a/b_c:v1.2.3@sha256:${"0a".repeat(32)}`,
  ),
  network: fc.constant("host"),
  environment: fc
    .dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,11}$/), text, {
      maxKeys: 5,
      noNullPrototype: true,
    })
    .map((more) => ({
      in: "a keyword of Nix",
      ...more,
      HERMES_DASHBOARD: "1",
      HERMES_DASHBOARD_HOST: "127.0.0.1",
      HERMES_DASHBOARD_PORT: "9119",
    })),
  volumes: fc.array(volume, { maxLength: 4 }),
  command: fc.array(word, { minLength: 1, maxLength: 4 }),
});
const admin = fc.record({
  user: fc.oneof(fc.constantFrom("let", "if"), fc.stringMatching(/^x[a-z0-9_-]{0,20}$/)),
  authorizedKeys: fc.array(publicKey, { minLength: 1, maxLength: 3 }),
});

export const microvmSettings: fc.Arbitrary<MicrovmSettings> = fc
  .record({ guest, container, admin })
  .map((given) => ofMicrovm(settings.parse(given)));

/** @throws Error when the settings are those of another kind of guest. */
export function ofMicrovm(given: Settings): MicrovmSettings {
  const { guest: own } = given;
  if (own.kind !== "microvm") throw new Error(`expected a microvm, found kind ${own.kind}`);
  return { ...given, guest: own };
}
