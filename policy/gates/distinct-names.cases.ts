import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

type Resources = Case["resources"];
const guest = (props: Readonly<Record<string, unknown>>, name = "guest"): CaseResource => ({
  type: "hermes:index:HermesGuest",
  name,
  props: { kind: "microvm", ...props },
});
const called = (hostname: unknown): Resources => [guest({ hostname })];
const tap = (name: unknown): Resources => [guest({ hostname: "vm-hermes", tap: name })];
const vm = (
  props: Readonly<Record<string, unknown>>,
  type = "proxmoxve:index/vmLegacy:VmLegacy",
): CaseResource => ({
  type,
  name: "vm",
  props,
});
const LXC = "proxmoxve:index/containerLegacy:ContainerLegacy";
const tailnetService = (service: unknown): CaseResource => ({
  type: "hermes:index:TailnetService",
  name: "service",
  props: { service },
});
const service = (name: unknown): CaseResource => ({
  type: "tailscale:index/service:Service",
  name: "service",
  props: { name, ports: ["tcp:443"] },
});
const command = (create: string, more: object = {}): Resources => [
  { type: "command:remote:Command", props: { create, ...more } },
];
const nix = (line: string): Resources =>
  command("tee /etc/nixos/guest.nix", { stdin: `{ pkgs, lib, ... }:\n{\n  ${line}\n}\n` });
const snippet = (data: string): Resources => [
  {
    type: "proxmoxve:index/fileLegacy:FileLegacy",
    props: { contentType: "snippets", sourceRaw: { fileName: "hermes.yaml", data } },
  },
];
/** As the program's installer sends a file. */
const payload = (path: string, ...content: string[]): Resources =>
  command("sudo -n hermes-guest stage names", { stdin: JSON.stringify({ files: [{ path, content }] }) });
const launch = (environment: object): Resources => [
  {
    type: "hermes:index:HermesContainer",
    props: { image: "docker.io/tailscale/tailscale:v1.102.5", environment },
  },
];

const SHIPPED = { hostname: "vm-hermes", tap: "vm-hermes" };

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    {
      title: "the shipped chopper guest and the service",
      resources: [guest(SHIPPED), tailnetService("svc:hermes")],
    },
    {
      title: "the shipped pve-sbx guest, its VMs, and the service that comes after them",
      resources: [
        guest({ kind: "proxmox", hostname: "vm-hermes" }),
        { ...vm({ name: "vm-hermes-data" }), name: "data" },
        vm({ name: "vm-hermes" }),
        tailnetService("svc:hermes"),
        service("svc:hermes"),
      ],
    },
    { title: "a hostname that is not known yet", resources: called(unknown) },
    { title: "a guest without a hostname", resources: called(undefined) },
    {
      title: "a service that is not known yet",
      resources: [guest({ hostname: "agent" }), tailnetService(unknown), service(unknown)],
    },
    { title: "a service without a name", resources: [guest({ hostname: "agent" }), service(undefined)] },
    {
      title: "a machine that is called like nothing",
      resources: [guest({ hostname: "-" }), tailnetService(unknown)],
    },
    { title: "a hostname with the service's name in it", resources: called("hermes-vm") },
    { title: "a hostname with hyphens inside", resources: called("her-mes") },
    {
      title: "a resource of another kind with that name",
      resources: [
        {
          type: "x:y:Z",
          props: {
            name: "hermes",
            hostname: "hermes",
            fqdn: "hermes",
            service: "svc:agent",
            tap: "interface-hermes",
          },
        },
        guest({ hostname: "agent" }),
      ],
    },
    {
      title: "another service of the tailnet",
      resources: called("hermes"),
      settings: { services: ["svc:agent"] },
    },
    { title: "a tap of 15 characters", resources: tap("vm-hermes-01234") },
    { title: "a tap that is not known yet", resources: tap(unknown) },
    ...[
      "tailscale up --hostname vm-hermes",
      "tailscale up --advertise-tags=tag:server --ssh",
      'tailscale up --hostname "$NAME"',
      "tailscale serve --service=svc:hermes --https=443 http://127.0.0.1:9120",
      "podman run --hostname hermes docker.io/nousresearch/hermes-agent:v2026.7.20",
      "hostnamectl set-hostname vm-hermes",
      "hostnamectl set-deployment hermes",
      "hostname -f",
      "logger hermes",
      "systemctl restart hermes",
      'echo "tailscale up --hostname hermes"',
      "# tailscale up --hostname hermes",
    ].map((line) => ({ title: `the command ${line}`, resources: command(line) })),
    { title: "cloud-init with the guest's name", resources: snippet("#cloud-config\nhostname: vm-hermes\n") },
    {
      title: "a hostname of something inside cloud-init",
      resources: snippet("#cloud-config\nx:\n  hostname: hermes\n  fqdn: hermes\n"),
    },
    ...["/etc/inv.yaml", "/x/user.yaml", "/etc/my-cloud.cfg"].map((path) => ({
      title: `the hostname of something else in ${path}`,
      resources: payload(path, "hostname: hermes", "fqdn: hermes", "# not #cloud-config"),
    })),
    { title: "a file of another name", resources: payload("/etc/hostname.example", "hermes", "") },
    { title: "a Nix text with the guest's name", resources: nix('networking.hostName = "vm-hermes";') },
    { title: "another hostName", resources: nix('services.nextcloud.hostName = "hermes";') },
    {
      title: "other flags",
      resources: nix(
        'services.tailscale.extraUpFlags = [ "--ssh" ]; services.x.flags = [ "--hostname=hermes" ];',
      ),
    },
    {
      title: "a long id of something else in Nix",
      resources: nix(
        'microvm.shares = [ { id = "a-name-of-18-chars"; } ]; networking.interfaces = [ { id = "a-name-of-18-chars"; } ]; microvm.interfaces = [ { type = "tap"; id = "vm-hermes"; mac = "02:00:00:00:20:02"; } ];',
      ),
    },
    {
      title: "a container of the tailnet with another name",
      resources: launch({ TS_HOSTNAME: "hermes-proxy", HOSTNAME: "hermes" }),
    },
    {
      title: "a container's name in the tailnet that is not known yet",
      resources: launch({ TS_HOSTNAME: unknown }),
    },
  ],
  refuses: [
    {
      title: "a guest that is called like the service",
      resources: called("hermes"),
      says: ['guest: hostname is "hermes", which is the name of a service of the tailnet, too.', "vm-hermes"],
    },
    ...[
      "Hermes",
      "HERMES.tail1234.ts.net",
      " hermes ",
      "hermes.",
      "hermes_",
      "--hermes--",
      "Hermes!",
      "hermes@",
    ].map((hostname) => ({
      title: `that name spelt ${JSON.stringify(hostname)}`,
      resources: called(hostname),
    })),
    {
      title: "a name that Tailscale writes with a hyphen",
      resources: [tailnetService("svc:my-agent"), guest({ hostname: "my agent" })],
    },
    { title: "a secret hostname", resources: called(secret("hermes")) },
    {
      title: "a hostname beside an unknown one",
      resources: [guest({ hostname: unknown }, "other"), guest({ hostname: "hermes", tap: unknown })],
    },
    {
      title: "a service that comes after its guest",
      resources: [
        guest({ hostname: "agent" }),
        guest({ hostname: "vm-2" }, "second"),
        tailnetService("svc:agent"),
      ],
      says: ['service: service is "svc:agent", which is what a machine is called, too (guest: hostname).'],
    },
    {
      title: "a guest that comes after its service",
      resources: [tailnetService("svc:agent"), guest({ hostname: "agent" })],
    },
    {
      title: "the second of two guests",
      resources: [
        tailnetService("svc:agent"),
        guest({ hostname: "vm-1" }),
        guest({ hostname: "agent" }, "second"),
      ],
      says: ["second: hostname"],
    },
    {
      title: "a service of the provider's own, in other case",
      resources: [guest({ hostname: "agent" }), service("SVC:Agent")],
    },
    {
      title: "a guest after such a service",
      resources: [service("svc:agent"), guest({ hostname: "agent" })],
    },
    {
      title: "a name of the pack's configuration",
      resources: called("agent"),
      settings: { services: ["agent"] },
    },
    { title: "a VM of no guest", resources: [vm({ name: "hermes" })], says: ['vm: name is "hermes"'] },
    {
      title: "a Linux container's hostname",
      resources: [vm({ initialization: { hostname: "hermes" } }, LXC)],
      says: ["vm: initialization.hostname"],
    },
    {
      title: "tailscale up with that name",
      resources: command("sudo -n tailscale up --auth-key file:/run/key --hostname hermes"),
      says: ['it: create › tailscale --hostname is "hermes", which is the name'],
    },
    ...["hostnamectl", "hostname"].map((by) => ({
      title: `that name by ${by}, with the place`,
      resources: command(by === "hostname" ? "hostname hermes" : "hostnamectl hostname hermes"),
      says: [`it: create › ${by} is "hermes", which is the name`],
    })),
    ...[
      "tailscale set --hostname=Hermes",
      "tailscale up -hostname hermes",
      "/usr/bin/tailscale login --hostname=hermes",
      "hostnamectl set-hostname hermes",
      "hostnamectl hostname hermes",
      "hostname hermes",
      "echo hermes > /etc/hostname",
      "podman run -d -e TS_HOSTNAME=hermes docker.io/tailscale/tailscale:v1.102.5",
      "sh -c 'set -e; tailscale up --hostname hermes'",
    ].map((line) => ({ title: `the command ${line}`, resources: command(line) })),
    {
      title: "a command of the machine that deploys, behind ssh",
      resources: [
        { type: "command:local:Command", props: { create: "ssh root@vm tailscale up --hostname hermes" } },
      ],
    },
    {
      title: "cloud-init's hostname",
      resources: snippet("#cloud-config\nhostname: hermes\n"),
      says: ["sourceRaw.data › hostname"],
    },
    ...["/seed/user-data", "/seed/meta-data", "/etc/cloud/cloud.cfg"].map((path) => ({
      title: `cloud-init's hostname in ${path}`,
      resources: payload(path, "hostname: hermes", ""),
    })),
    {
      title: "cloud-init's hostname in a file that says so",
      resources: payload("/x/user.yaml", "## template: jinja", "#cloud-config", "hostname: hermes", ""),
    },
    { title: "cloud-init's meta data that say nothing else", resources: snippet("local-hostname: hermes\n") },
    { title: "cloud-init's fqdn", resources: snippet("#cloud-config\nfqdn: hermes.lan\n") },
    { title: "cloud-init's meta data", resources: snippet("#cloud-config\nlocal-hostname: hermes\n") },
    {
      title: "cloud-init that joins with it",
      resources: snippet("#cloud-config\nruncmd:\n  - [tailscale, up, --hostname, hermes]\n"),
    },
    {
      title: "a file of the installer",
      resources: payload("/etc/hostname", "hermes", ""),
      says: ["stdin › /etc/hostname"],
    },
    {
      title: "a unit of the installer",
      resources: payload(
        "/etc/systemd/system/join.service",
        "[Service]",
        "ExecStart=/usr/bin/tailscale up --hostname=hermes",
      ),
    },
    { title: "a Nix text", resources: nix('networking.hostName = "hermes";'), says: ["networking.hostName"] },
    {
      title: "a Nix text of several systems",
      resources: nix('nixosConfigurations.x.config.networking.hostName = lib.mkDefault "hermes";'),
    },
    {
      title: "flags in a Nix text",
      resources: nix('services.tailscale.extraUpFlags = [ "--ssh" "--hostname=hermes" ];'),
    },
    {
      title: "flags in a Nix text of several systems",
      resources: nix(
        'nixosConfigurations.x.config.services.tailscale.extraUpFlags = [ "--hostname=hermes" ];',
      ),
    },
    {
      title: "flags that are set later",
      resources: nix('services.tailscale.extraSetFlags = [ "--hostname=hermes" ];'),
    },
    {
      title: "a service after a command that joins with its name",
      resources: [...command("tailscale up --hostname agent"), service("svc:agent")] as unknown as Resources,
      says: ["service: name is"],
    },
    {
      title: "a container of the tailnet",
      resources: launch({ TS_HOSTNAME: "hermes" }),
      says: ["TS_HOSTNAME"],
    },
    {
      title: "a tap of 16 characters",
      resources: tap("vm-hermes-012345"),
      says: [
        'guest: tap is "vm-hermes-012345", which has 16 bytes, and an interface\'s name has at most 15.',
        "Shorten it.",
      ],
    },
    { title: "a tap of 15 characters of two bytes", resources: tap("ä".repeat(15)), says: ["has 30 bytes"] },
    {
      title: "a tap in a Nix text",
      resources: nix('microvm.interfaces = [ { type = "tap"; id = "vm-hermes-is-too-long"; } ];'),
      says: ["microvm.interfaces.0.id"],
    },
    {
      title: "a tap in a Nix text of several systems",
      resources: nix(
        'microvm.vms.hermes.config = { microvm.interfaces = [ { type = "tap"; id = "vm-hermes-is-too-long"; } ]; };',
      ),
    },
  ],
};
