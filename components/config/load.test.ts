import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shippedConfig as shipped, type Tree } from "../../test/support/settings.ts";
import { ConfigError, loadSettings } from "./load.ts";

function problems(values: Record<string, string>): string {
  try {
    loadSettings(values, {});
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

const guest = (config: Tree) => config["hermes:guest"] as Tree;
const container = (config: Tree) => config["hermes:container"] as Tree;

describe("the shipped stack files", () => {
  it("pve-sbx holds once its owner's secrets are set, with the values of the cluster", () => {
    const settings = loadSettings(shipped("pve-sbx"), {});
    expect(settings.guest).toMatchObject({
      kind: "proxmox",
      vmId: 210,
      vlanId: 21,
      address: "10.32.21.110/24",
      datastore: "local-lvm",
      vcpus: 4,
      memoryMiB: 8192,
      placement: { cleared: false, phases: { "1": "blocked" } },
    });
    expect(settings.guest.disks.reduce((sum, disk) => sum + disk.sizeMiB, 0)).toBe(65536);
  });

  it("chopper holds as it is, with the values of the seed", () => {
    expect(loadSettings(shipped("chopper"), {}).guest).toMatchObject({
      kind: "microvm",
      hostname: "vm-hermes",
      tap: "vm-hermes",
      mac: "02:00:00:00:20:02",
      vsockCid: 4,
      vcpus: 4,
      memoryMiB: 8192,
      address: "192.168.20.51/23",
      gateway: "192.168.20.1",
    });
  });

  it("both run the same image and the same environment", () => {
    expect(loadSettings(shipped("chopper"), {}).container).toEqual(
      loadSettings(shipped("pve-sbx"), {}).container,
    );
  });
});

describe("a bad configuration", () => {
  it("lists every problem at once, each with its path and the value found", () => {
    const message = problems(
      shipped("pve-sbx", (config) => {
        guest(config)["vmId"] = 7;
        guest(config)["gateway"] = "10.32.99.1";
        guest(config)["colour"] = "green";
        container(config)["image"] = "docker.io/nousresearch/hermes-agent:latest";
        config["hermes:admin"] = { user: "debian", authorizedKeys: [] };
        delete config["proxmoxve:apiToken"];
      }),
    );
    expect(message).toContain("6 problems; nothing was changed");
    expect(message).toContain("hermes:guest.vmId = 7");
    expect(message).toContain(
      'hermes:guest.gateway = "10.32.99.1": must lie in the network of the address 10.32.21.110/24',
    );
    expect(message).toContain("hermes:guest.colour is not a known key");
    expect(message).toContain('has the tag "latest", which can move');
    expect(message).toContain("hermes:admin.authorizedKeys = []: must hold at least one key");
    expect(message).toContain("proxmoxve:apiToken is missing");
  });

  it("lists rules that span keys beside keys that are missing", () => {
    const message = problems(
      shipped("pve-sbx", (config) => {
        delete guest(config)["nodeName"];
        delete config["hermes:ssh"];
        guest(config)["gateway"] = "10.32.99.1";
        container(config)["volumes"] = [{ source: "/var/lib/hermes", target: "/opt/data", kind: "tmpfs" }];
      }),
    );
    expect(message).toContain("has 4 problems");
    for (const part of [
      "guest.nodeName is missing",
      "hermes:ssh is missing",
      "guest.gateway",
      "volumes[0]",
    ]) {
      expect(message).toContain(part);
    }
  });

  it("refuses secrets that stand in the stack file in plain, without showing them", () => {
    const values = shipped("pve-sbx");
    const check = (secret: string[]) => {
      try {
        loadSettings(values, { PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secret) });
        return "";
      } catch (error) {
        return String(error);
      }
    };
    expect(check(["hermes:ssh", "proxmoxve:apiToken"])).toBe("");
    expect(check(["hermes:ssh"])).toContain("proxmoxve:apiToken stands in the stack file in plain");
    expect(check([])).toContain("hermes:ssh stands in the stack file in plain");
    expect(check([])).not.toContain("AAAA\\n");
  });

  it("refuses a secret where the state would keep it in plain", () => {
    const keys = JSON.stringify(["hermes:ssh", "proxmoxve:apiToken", "hermes:container"]);
    expect(() => loadSettings(shipped("pve-sbx"), { PULUMI_CONFIG_SECRET_KEYS: keys })).toThrow(
      "hermes:container holds a secret",
    );
  });

  it("shows neither a private key in the wrong place nor a value of the environment", () => {
    const message = problems(
      shipped("pve-sbx", (config) => {
        (config["hermes:admin"] as Tree)["authorizedKeys"] = [
          "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw",
        ];
        (container(config)["environment"] as Tree)["API_KEY"] = "hunter2\nhunter3";
      }),
    );
    expect(message).toContain("has 2 problems");
    expect(message).not.toMatch(/MC4C|hunter/);
  });

  it("an empty configuration names what is missing", () => {
    const message = problems({});
    for (const key of ["guest", "container", "admin"]) expect(message).toContain(`hermes:${key}`);
  });

  it("never shows the deploy key", () => {
    const message = problems(
      shipped("pve-sbx", (config) => {
        config["hermes:ssh"] = { privateKey: "hunter2-is-not-a-key" };
      }),
    );
    expect(message).toContain("hermes:ssh.privateKey = [secret]");
    expect(message).not.toContain("hunter2");
  });

  it.each([
    ["a guest of another kind", (c: Tree) => (guest(c)["kind"] = "docker"), '"proxmox" or "microvm"'],
    [
      "/opt/data on tmpfs",
      (c: Tree) =>
        (container(c)["volumes"] = [{ source: "/var/lib/hermes", target: "/opt/data", kind: "tmpfs" }]),
      "/opt/data must be a writable bind",
    ],
    [
      "/opt/data read-only",
      (c: Tree) =>
        (container(c)["volumes"] = [
          { source: "/var/lib/hermes", target: "/opt/data", kind: "bind", readOnly: true },
        ]),
      "/opt/data must be a writable bind",
    ],
    [
      "/opt/data on the root disk",
      (c: Tree) => (container(c)["volumes"] = [{ source: "/srv", target: "/opt/data", kind: "bind" }]),
      "(/var/lib/hermes)",
    ],
    [
      "/opt/data not mounted",
      (c: Tree) => (container(c)["volumes"] = []),
      "must mount /opt/data: nothing else lasts",
    ],
    [
      "a line break in the environment",
      (c: Tree) => (container(c)["environment"] = { A: "b\nUser=root" }),
      "control characters",
    ],
    [
      "a dashboard beyond the guest's loopback",
      (c: Tree) => ((container(c)["environment"] as Tree)["HERMES_DASHBOARD_HOST"] = "0.0.0.0"),
      "HERMES_DASHBOARD_HOST",
    ],
    [
      "a user of the command named twice",
      (c: Tree) => (c["hermes:hostUsers"] = ["alice", "bob", "alice"]),
      'hermes:hostUsers[2] = "alice": is named twice',
    ],
    [
      "root as a user of the command",
      (c: Tree) => (c["hermes:hostUsers"] = ["root"]),
      "account of the system",
    ],
    [
      "a user of the command who is no login name",
      (c: Tree) => (c["hermes:hostUsers"] = ["-rf"]),
      "must be a login name",
    ],
    ["a lone ; as an argument", (c: Tree) => (container(c)["command"] = ["gateway", ";", "sh"]), "lone ;"],
    [
      "a read-only tmpfs",
      (c: Tree) =>
        (container(c)["volumes"] as Tree[]).push({
          source: "/",
          target: "/c",
          kind: "tmpfs",
          readOnly: true,
        }),
      "is for a bind",
    ],
    [
      "/opt/data by another spelling",
      (c: Tree) =>
        (container(c)["volumes"] as Tree[]).push({ source: "/", target: "/opt/./data", kind: "tmpfs" }),
      "must not contain . or ..",
    ],
    [
      "root as the login",
      (c: Tree) => ((c["hermes:admin"] as Tree)["user"] = "root"),
      "account of the system",
    ],
    [
      "an ssh host that is an option",
      (c: Tree) => ((c["hermes:ssh"] as Tree)["host"] = "-oProxyCommand=x"),
      "host name",
    ],
    [
      "a cloud image behind a password",
      (c: Tree) => ((guest(c)["cloudImage"] as Tree)["url"] = "https://u:p@host/x.qcow2"),
      "user name",
    ],
    [
      "no dashboard, by which a deploy is judged",
      (c: Tree) => ((container(c)["environment"] as Tree)["HERMES_DASHBOARD"] = "0"),
      'HERMES_DASHBOARD = "0"',
    ],
    [
      "two mounts on one path",
      (c: Tree) =>
        (container(c)["volumes"] as Tree[]).push({
          source: "/var/lib/hermes",
          target: "/opt/data",
          kind: "bind",
        }),
      "volumes[1].target",
    ],
    [
      "a data disk over the system's own folders",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[1] as Tree)["mountPoint"] = "/etc"),
      "must lie directly below /srv, /mnt or /var/lib",
    ],
    [
      "a guest whose host key nobody could learn",
      (c: Tree) => delete guest(c)["vendorData"],
      "vendorData is missing, and so is hostKey",
    ],
    [
      "a network for an address",
      (c: Tree) => (guest(c)["address"] = "10.32.21.0/24"),
      "a host's IPv4 address",
    ],
    [
      "half a token",
      (c: Tree) => (c["proxmoxve:apiToken"] = "hunter2"),
      "proxmoxve:apiToken = [secret]: must look like",
    ],
    [
      "an endpoint without https",
      (c: Tree) => (c["proxmoxve:endpoint"] = "10.32.20.21"),
      "must look like https://NODE:8006",
    ],
    [
      "an RSA host key, which can never match",
      (c: Tree) => (guest(c)["hostKey"] = `ssh-rsa ${"A".repeat(68)}`),
      "Ed25519 or ECDSA",
    ],
    [
      "a disk that is not whole GiB",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[1] as Tree)["sizeMiB"] = 32769),
      "multiple of 1024",
    ],
    [
      "the guest's own address as gateway",
      (c: Tree) => (guest(c)["gateway"] = "10.32.21.110"),
      "must differ",
    ],
    ["one VMID for two machines", (c: Tree) => (guest(c)["dataVmId"] = 210), "must differ from vmId"],
    [
      "a cleared placement gate that nobody signed",
      (c: Tree) => ((guest(c)["placement"] as Tree)["cleared"] = true),
      "clearedOn",
    ],
    [
      "a moving cloud image without checksum",
      (c: Tree) => ((guest(c)["cloudImage"] as Tree)["sha512"] = "latest"),
      "128 hex digits",
    ],
    [
      "another network than the host's",
      (c: Tree) => (container(c)["network"] = "bridge"),
      "hermes:container.network",
    ],
  ])("refuses %s", (_title, change, expected) => {
    expect(problems(shipped("pve-sbx", change))).toContain(expected);
  });

  it.each([
    [
      "a tap that Linux cannot name",
      (c: Tree) => (guest(c)["tap"] = "vm-hermes-agent-x"),
      "at most 15 characters",
    ],
    ["2048 MiB, at which QEMU hangs", (c: Tree) => (guest(c)["memoryMiB"] = 2048), "must not be 2048"],
    ["a MAC of a vendor", (c: Tree) => (guest(c)["mac"] = "00:16:3e:00:20:02"), "locally administered"],
    ["a reserved vsock CID", (c: Tree) => (guest(c)["vsockCid"] = 2), "above 2"],
    [
      "the MAC of another guest",
      (c: Tree) => (guest(c)["mac"] = "02:00:00:00:20:03"),
      'hermes:guest.mac = "02:00:00:00:20:03": is that of vm-jellyswarrm',
    ],
    ["the tap of another guest", (c: Tree) => (guest(c)["tap"] = "vm-echoip"), "is that of echoip"],
    ["the vsock CID of another guest", (c: Tree) => (guest(c)["vsockCid"] = 3), "is that of echoip"],
    ["the name of another guest", (c: Tree) => (guest(c)["hostname"] = "echoip"), "is that of echoip"],
    [
      "the address of another guest, whatever the prefix",
      (c: Tree) => (guest(c)["address"] = "192.168.20.52/24"),
      "is that of vm-jellyswarrm",
    ],
    [
      "an address outside of the gateway's network",
      (c: Tree) => (guest(c)["address"] = "192.168.30.51/24"),
      "must lie in the network of the address 192.168.30.51/24",
    ],
    [
      "credentials for a hypervisor that takes none",
      (c: Tree) => (guest(c)["hypervisor"] = "cloud-hypervisor"),
      'hermes:guest.hypervisor = "cloud-hypervisor": must be qemu',
    ],
    [
      "a credential in the Nix store",
      (c: Tree) => (guest(c)["credentialFiles"] = { TS_AUTHKEY: "/nix/store/abc-key" }),
      "must not be in the Nix store",
    ],
    [
      "an auth key that is no credential",
      (c: Tree) => (guest(c)["credentialFiles"] = {}),
      "must be one of hermes:guest.credentialFiles (none)",
    ],
    [
      "nixpkgs at a branch",
      (c: Tree) => ((guest(c)["inputs"] as Tree)["nixpkgs"] = "github:NixOS/nixpkgs/nixos-unstable"),
      "hermes:guest.inputs.nixpkgs",
    ],
    [
      "nixpkgs at a branch that looks like a short revision",
      (c: Tree) => ((guest(c)["inputs"] as Tree)["nixpkgs"] = "github:NixOS/nixpkgs/6438090"),
      "40 hex digits",
    ],
    [
      "microvm.nix at a branch, its revision in a parameter that Nix does not read",
      (c: Tree) =>
        ((guest(c)["inputs"] as Tree)["microvm"] = `github:microvm-nix/microvm.nix?sha=${"a".repeat(40)}`),
      "hermes:guest.inputs.microvm",
    ],
    [
      "a revision and a branch, of which the branch may win",
      (c: Tree) =>
        ((guest(c)["inputs"] as Tree)["nixpkgs"] =
          `git+https://example.org/nixpkgs?ref=main&rev=${"a".repeat(40)}`),
      "hermes:guest.inputs.nixpkgs",
    ],
    ["no inputs", (c: Tree) => delete guest(c)["inputs"], "hermes:guest.inputs is missing"],
    [
      "a disk over the root, which is a tmpfs",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[1] as Tree)["mountPoint"] = "/"),
      "needs no disk",
    ],
    [
      "a disk over the Nix store",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[1] as Tree)["mountPoint"] = "/nix"),
      "must lie in /var/lib",
    ],
    [
      "an SSH host key that does not last",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[0] as Tree)["persistent"] = false),
      "persistent one called state at /var/lib",
    ],
    [
      "a state disk by another name, which the host would not know as such",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[0] as Tree)["name"] = "system"),
      "persistent one called state at /var/lib",
    ],
    [
      "a part of /opt/data in the guest's memory",
      (c: Tree) =>
        (container(c)["volumes"] as Tree[]).push({
          source: "/home/u/mem",
          target: "/opt/data/memories",
          kind: "bind",
        }),
      "lies on no persistent disk, and /opt/data must last",
    ],
    [
      "a disk that does not last inside the folder of /opt/data",
      (c: Tree) =>
        (guest(c)["disks"] as Tree[]).push({
          name: "mem",
          mountPoint: "/var/lib/hermes/sessions",
          sizeMiB: 512,
          persistent: false,
        }),
      "lies in /var/lib/hermes, which must last",
    ],
    ...["/run/credentials/@system", "/var/lib/tailscale", "/var/lib/sshd/x", "/var/lib", "/"].map(
      (source): [string, (c: Tree) => unknown, string] => [
        `a bind of ${source}, by which the agent gets what identifies the guest`,
        (c) =>
          (container(c)["volumes"] as Tree[]).push({ source, target: "/x", kind: "bind", readOnly: true }),
        "hermes:container.volumes[1].source",
      ],
    ),
    [
      "a credential's name that QEMU does not take",
      (c: Tree) => (guest(c)["credentialFiles"] = { ["A".repeat(29)]: "/run/secrets/x" }),
      `hermes:guest.credentialFiles.${"A".repeat(29)}: the key must be at most 28`,
    ],
    [
      "an auth key that every object has",
      (c: Tree) => ((guest(c)["tailscale"] as Tree)["authKey"] = "constructor"),
      "must be one of hermes:guest.credentialFiles (TS_AUTHKEY)",
    ],
    [
      "a growth that is none",
      (c: Tree) => (((guest(c)["disks"] as Tree[])[2] as Tree)["grownFromMiB"] = 32768),
      "must be below sizeMiB (32768)",
    ],
    ["no ssh", (c: Tree) => delete c["hermes:ssh"], "hermes:ssh is missing; a microvm needs it"],
    [
      "a user of the command whom a microvm does not have",
      (c: Tree) => (c["hermes:hostUsers"] = ["mhelton", "alice"]),
      'hermes:hostUsers[1] = "alice": must be mhelton',
    ],
    ["no ssh.host", (c: Tree) => delete (c["hermes:ssh"] as Tree)["host"], "hermes:ssh.host is missing"],
    ["no ssh.user", (c: Tree) => delete (c["hermes:ssh"] as Tree)["user"], "hermes:ssh.user is missing"],
    [
      "no ssh.hostKey",
      (c: Tree) => delete (c["hermes:ssh"] as Tree)["hostKey"],
      "hermes:ssh.hostKey is missing",
    ],
    [
      "the account of the readiness probe as a person's",
      (c: Tree) => ((c["hermes:admin"] as Tree)["user"] = "hermes-probe"),
      "account of the system",
    ],
  ])("refuses %s", (_title, change, expected) => {
    expect(problems(shipped("chopper", change))).toContain(expected);
  });

  it("allows any users of the command on a Debian guest, and none on either", () => {
    expect(problems(shipped("pve-sbx", (c) => (c["hermes:hostUsers"] = ["debian", "alice"])))).toBe("");
    for (const stack of ["pve-sbx", "chopper"]) {
      expect(problems(shipped(stack, (c) => (c["hermes:hostUsers"] = [])))).toBe("");
    }
  });

  it("allows 2048 MiB to a hypervisor that does not hang at it", () => {
    const change = (c: Tree) => {
      Object.assign(guest(c), { hypervisor: "cloud-hypervisor", memoryMiB: 2048, credentialFiles: {} });
      delete guest(c)["tailscale"];
    };
    expect(problems(shipped("chopper", change))).toBe("");
  });

  it("allows a flake of any forge that is pinned to a commit", () => {
    const rev = "0123456789abcdef0123456789abcdef01234567";
    for (const nixpkgs of [
      `github:a/b.nix/${rev}`,
      `gitlab:a/b/${rev}`,
      `sourcehut:~a/b/${rev}`,
      `git+https://example.org/a/b.git?rev=${rev}`,
    ]) {
      expect(problems(shipped("chopper", (c) => ((guest(c)["inputs"] as Tree)["nixpkgs"] = nixpkgs)))).toBe(
        "",
      );
    }
  });

  it("takes the NixOS host's address and login for no secret, and its deploy key for one", () => {
    const secrets = (keys: string[]) => ({ PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(keys) });
    const values = shipped("chopper");
    expect(() => loadSettings(values, secrets([]))).toThrow("hermes:ssh stands in the stack file in plain");
    expect(() => loadSettings(values, secrets(["hermes:ssh"]))).not.toThrow();
    const withoutKey = shipped("chopper", (c) => delete (c["hermes:ssh"] as Tree)["privateKey"]);
    expect(() => loadSettings(withoutKey, secrets([]))).toThrow("hermes:ssh.privateKey is missing");
    expect(() => loadSettings(withoutKey, secrets([]))).not.toThrow("in plain");
  });

  it.each([
    ["user", "debian", "here it is hermes:admin.user"],
    ["hostKey", `ssh-ed25519 ${"H".repeat(68)}`, "here it is hermes:guest.hostKey"],
  ])("refuses ssh.%s of a Debian guest, which has a place of its own", (key, value, expected) => {
    const change = (c: Tree) => ((c["hermes:ssh"] as Tree)[key] = value);
    expect(problems(shipped("pve-sbx", change))).toContain(expected);
  });

  it("of any shape gives a ConfigError and nothing else", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("hermes:guest", "hermes:container", "hermes:x"), fc.json()),
        (values) => {
          expect(problems(values)).not.toBe("");
        },
      ),
    );
  });
});
