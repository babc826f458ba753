import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { evaluated, nixPath } from "../../support/nix.ts";

const folder = join(import.meta.dirname, "nix");

/** A guest that nothing is wrong with; each case adds a module or two to it. */
const guest = `{
  system.stateVersion = "26.05";
  users.mutableUsers = false;
  users.users.mhelton = {
    isNormalUser = true;
    extraGroups = [ "wheel" ];
    openssh.authorizedKeys.keys = [ "ssh-ed25519 AAAA" ];
  };
}`;

const evaluate = (...modules: string[]): Record<string, Record<string, unknown>> =>
  evaluated(
    `import ${nixPath(join(folder, "evaluate.nix"))} { modules = [ ${[guest, ...modules].map((m) => `(${m})`).join(" ")} ]; }`,
  ) as Record<string, Record<string, unknown>>;

/** The store path that the runner of some modules would get. */
const runner = (...modules: string[]): unknown =>
  evaluated(
    `(import ${nixPath(join(folder, "runner.nix"))} { modules = [ ${[guest, ...modules].map((m) => `(${m})`).join(" ")} ]; }).outPath`,
  );

describe("the lab's stand-ins for NixOS and microvm.nix", () => {
  const refused: [what: string, modules: string[], message: string][] = [
    [
      "an option that does not exist",
      ["{ microvm.vcpus = 4; }"],
      "The option `microvm.vcpus' does not exist",
    ],
    [
      "an option of a volume that does not exist",
      ['{ microvm.volumes = [ { image = "a"; mountPoint = "/a"; size = 1; sise = 2; } ]; }'],
      "sise' does not exist",
    ],
    ["a value of another type", ['{ microvm.vcpu = "4"; }'], "is not of type `positive integer, meaning >0'"],
    [
      "two values of one option",
      ["{ microvm.vcpu = 3; }", "{ microvm.vcpu = 4; }"],
      "The option `microvm.vcpu' has conflicting definition values",
    ],
    [
      "a volume without a size",
      ['{ microvm.volumes = [ { image = "a"; mountPoint = "/a"; } ]; }'],
      "size' was accessed but has no value defined",
    ],
    [
      "a tap name of 16 characters",
      ['{ microvm.interfaces = [ { type = "tap"; id = "vm-0123456789abc"; mac = "02:00:00:00:00:01"; } ]; }'],
      "maximum length of 15 characters",
    ],
    [
      "one image for two volumes",
      [
        '{ microvm.volumes = [ { image = "a"; mountPoint = "/a"; size = 1; } { image = "a"; mountPoint = "/b"; size = 1; } ]; }',
      ],
      'volume image "a" is used 2 > 1 times',
    ],
    [
      "two volumes at one mount point",
      [
        '{ microvm.volumes = [ { image = "a"; label = "a"; mountPoint = "/a"; size = 1; } { image = "b"; label = "b"; mountPoint = "/a"; size = 1; } ]; }',
      ],
      "has conflicting definition values",
    ],
    [
      "SSH over vsock without a CID",
      ["{ microvm.vsock.ssh.enable = true; }"],
      "microvm.vsock.ssh.enable requires microvm.vsock.cid to be set",
    ],
    [
      "a credential with another hypervisor than QEMU",
      ['{ microvm.hypervisor = "cloud-hypervisor"; microvm.credentialFiles.KEY = "/run/key"; }'],
      "cloud-hypervisor does not support credentialFiles",
    ],
    [
      "users that nobody could log in as to become root",
      ["{ lib, ... }: { users.users.mhelton.openssh.authorizedKeys.keys = lib.mkForce [ ]; }"],
      "Neither the root account nor any wheel user has a password or SSH authorized key",
    ],
    [
      "a key of two lines",
      [String.raw`{ users.users.mhelton.openssh.authorizedKeys.keys = [ "a\nb" ]; }`],
      "single-line string",
    ],
    [
      "a word where sshd's option is a boolean",
      ['{ services.openssh.settings.PasswordAuthentication = "no"; }'],
      "is not of type `null or boolean'",
    ],
    [
      "two answers in one unit",
      [
        '{ systemd.services.a.serviceConfig.Restart = "no"; }',
        '{ systemd.services.a.serviceConfig.Restart = "always"; }',
      ],
      "serviceConfig.Restart' has conflicting definition values",
    ],
  ];
  it.each(refused)("refuse %s", (_, modules, message) => {
    expect(() => evaluate(...modules)).toThrow(message);
  });

  it("take the stronger of two priorities, and leave out what a false condition guards", () => {
    const { networking, microvm } = evaluate(
      '{ lib, config, ... }: { networking.hostName = lib.mkIf (config.microvm.vcpu == 2) "two"; microvm.vcpu = lib.mkDefault 3; microvm.mem = lib.mkIf (config.microvm.vcpu == 3) 4096; }',
      "{ microvm.vcpu = 2; }",
    );
    expect(networking?.["hostName"]).toBe("two");
    expect(microvm).toMatchObject({ vcpu: 2, mem: 512 });
  });

  it("build another runner for another machine, and the same one for the same", () => {
    const four = "{ microvm.vcpu = 4; }";
    expect(runner("{ /* in other words */ microvm = { vcpu = 4; }; }")).toBe(runner(four));
    expect(runner("{ microvm.vcpu = 3; }")).not.toBe(runner(four));
    expect(runner(four, '{ networking.hostName = "other"; }')).not.toBe(runner(four));
    expect(runner(four, "{ services.openssh.ports = [ 2222 ]; }")).not.toBe(runner(four));
  });
});
