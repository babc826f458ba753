import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";

type Resources = Case["resources"];
const VM = "proxmoxve:index/vmLegacy:VmLegacy";
const machine = (props: Readonly<Record<string, unknown>>, type = VM): Resources => [
  { type, name: "vm", props },
];
const devices = (...networkDevices: unknown[]): Resources => machine({ networkDevices });
const NET = { bridge: "vmbr0", vlanId: 21, model: "virtio" };
const clone = (net0: unknown): Resources => machine({ network: { net0 } }, "proxmoxve:cloned/vm:Vm");
const lxc = (device: unknown): Resources =>
  machine({ networkInterfaces: [device] }, "proxmoxve:index/containerLegacy:ContainerLegacy");
const options = (props: Readonly<Record<string, unknown>>): Resources => [
  { type: "proxmoxve:firewall/optionsLegacy:OptionsLegacy", name: "options", props: { vmId: 210, ...props } },
];
const RULES = "proxmoxve:firewall/rulesLegacy:RulesLegacy";
const rules = (rule: unknown, type = RULES): Resources => [
  { type, name: "rules", props: { rules: [{ type: "in", action: "DROP" }, rule] } },
];
const ALL = { type: "in", action: "ACCEPT" };
const command = (create: string, more: object = {}): Resources => [
  { type: "command:remote:Command", props: { create, ...more } },
];
const nix = (line: string): Resources =>
  command("tee /etc/nixos/guest.nix", { stdin: `{ pkgs, lib, ... }:\n{\n  ${line}\n}\n` });
const cloudInit = (text: string): Resources => [
  {
    type: "proxmoxve:index/fileLegacy:FileLegacy",
    props: {
      contentType: "snippets",
      sourceRaw: { fileName: "hermes.yaml", data: `#cloud-config\n${text}` },
    },
  },
];
/** As the program's installer sends a file. */
const payload = (path: string, ...content: string[]): Resources =>
  command("sudo -n hermes-guest stage firewall", { stdin: JSON.stringify({ files: [{ path, content }] }) });

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "a VM whose network device has the firewall", resources: devices({ ...NET, firewall: true }) },
    { title: "a network device that is not known yet", resources: devices(unknown) },
    { title: "network devices that are not known yet", resources: machine({ networkDevices: unknown }) },
    { title: "no network devices by null", resources: machine({ networkDevices: null }) },
    { title: "a firewall that is not known yet", resources: devices({ ...NET, firewall: unknown }) },
    {
      title: "a VM without a network, like the one that owns the data disk",
      resources: machine({ started: false }),
    },
    { title: "a Linux container with the firewall", resources: lxc({ name: "eth0", firewall: true }) },
    { title: "a clone with the firewall", resources: clone({ bridge: "vmbr0", firewall: true }) },
    { title: "devices of something else", resources: machine({ networkDevices: [NET] }, "x:y:Z") },
    { title: "a VM's firewall that is on", resources: options({ enabled: true }) },
    { title: "a VM's firewall that drops", resources: options({ enabled: true, inputPolicy: "DROP" }) },
    { title: "a VM's firewall that rejects", resources: options({ enabled: true, inputPolicy: "reject" }) },
    {
      title: "options that are not known yet",
      resources: options({ enabled: unknown, inputPolicy: unknown }),
    },
    ...[
      { ...ALL, dport: "22" },
      { ...ALL, source: "10.32.21.0/24" },
      { ...ALL, macro: "SSH" },
      { ...ALL, proto: "icmp" },
      { ...ALL, iface: "net1" },
      { ...ALL, dest: "10.32.21.110" },
      { ...ALL, sport: "67" },
      { ...ALL, source: unknown },
      { ...ALL, enabled: false },
      { ...ALL, type: "out" },
      { ...ALL, type: unknown },
      { ...ALL, action: "REJECT" },
      { ...ALL, action: unknown },
      { securityGroup: "web" },
      unknown,
    ].map((rule, index) => ({
      title: `a rule with a condition, or none that lets in (${index})`,
      resources: rules(rule),
    })),
    { title: "rules of something else", resources: rules(ALL, "x:y:Z") },
    ...[
      "ufw --force enable",
      "ufw default deny incoming",
      "ufw allow 22/tcp",
      "ufw default allow outgoing",
      "ufw delete allow disabled",
      "systemctl restart nftables",
      "systemctl enable --now nftables.service",
      "systemctl stop hermes",
      "systemctl stop my-firewall-notes",
      "service nftables restart",
      "service hermes stop",
      "apt-get install -y nftables",
      "apt-get remove -y nftables-doc",
      "nft -f /etc/nftables.conf",
      "nft list ruleset",
      "nft flush rulesets",
      "nft noflush ruleset",
      "iptables -P INPUT DROP",
      "iptables -P FORWARD ACCEPT",
      "iptables -t nat -F",
      "iptables -F DOCKER",
      "iptables -A INPUT -p tcp --dport 22 -j ACCEPT",
      "iptables -A INPUT -i lo -j ACCEPT",
      "iptables -A INPUT -j ACCEPTED",
      "iptables -t nat -A INPUT -j ACCEPT",
      "iptables -A INPUT -j ACCEPT -s 10.32.21.0/24",
      'iptables -A INPUT "$CONDITION" -j ACCEPT',
      "firewall-cmd --set-default-zone=drop",
      "firewall-cmd --add-service=trusted",
      "pve-firewall restart",
      "qm set 210 --net0 virtio,bridge=vmbr0,firewall=1",
      "qm set 210 --description nofirewall=0",
      'echo "systemctl stop nftables"',
      "# ufw disable",
      '"$TOOL" stop nftables',
    ].map((line) => ({ title: `the command ${line}`, resources: command(line) })),
    { title: "a Nix text with the firewall", resources: nix("networking.firewall.enable = true;") },
    {
      title: "a Nix text that turns something else off",
      resources: nix("services.firewall.enable = false;"),
    },
    {
      title: "a Nix text that opens one port",
      resources: nix("networking.firewall.allowedTCPPorts = [ 22 ];"),
    },
    {
      title: "ufw's own policy",
      resources: payload("/etc/default/ufw", 'DEFAULT_INPUT_POLICY="DROP"', "ENABLED=ACCEPT"),
    },
    { title: "prose about a firewall", resources: payload("/etc/motd", "Never run ufw disable.") },
  ],
  refuses: [
    {
      title: "a network device without the firewall",
      resources: devices({ ...NET, firewall: true }, NET),
      says: ["vm: networkDevices.1.firewall is not set, and is off by default.", "Set it to true."],
    },
    {
      title: "a network device whose firewall is off, beside unknown ones",
      resources: devices(unknown, { bridge: unknown, firewall: false }),
      says: [
        "vm: networkDevices.1.firewall is false, which leaves the device unfiltered.",
        "Set it to true.",
      ],
    },
    { title: "a secret network device", resources: devices(secret({ ...NET, firewall: false })) },
    { title: "a firewall by a word", resources: devices({ ...NET, firewall: "true" }) },
    { title: "a Linux container", resources: lxc({ name: "eth0" }), says: ["networkInterfaces.0.firewall"] },
    { title: "a clone", resources: clone({ bridge: "vmbr0" }), says: ["network.net0.firewall"] },
    {
      title: "options that leave it off",
      resources: options({ enabled: false }),
      says: ["options: enabled is false, which leaves the VM's firewall off.", "Set it to true."],
    },
    {
      title: "options without a word on it",
      resources: options({ inputPolicy: unknown }),
      says: ["enabled is missing"],
    },
    {
      title: "a policy that lets in",
      resources: options({ enabled: true, inputPolicy: "ACCEPT" }),
      says: ['inputPolicy is "ACCEPT", which lets in what no rule names.', "Set it to DROP."],
    },
    { title: "a policy that nobody knows", resources: options({ enabled: true, inputPolicy: "DROPPED" }) },
    {
      title: "a policy of another spelling",
      resources: options({ enabled: unknown, inputPolicy: "NODROP" }),
    },
    {
      title: "a rule that lets everybody in",
      resources: rules(ALL),
      says: ["rules: rules.1 lets everybody in at every port."],
    },
    { title: "such a rule with empty conditions", resources: rules({ ...ALL, source: "", dport: "" }) },
    {
      title: "such a rule of a security group",
      resources: rules(ALL, "proxmoxve:cluster/firewall/security/groupLegacy:GroupLegacy"),
    },
    ...[
      "ufw disable",
      "sudo -n ufw --force reset",
      "ufw default allow",
      "ufw default allow incoming",
      "systemctl stop nftables",
      "sudo systemctl disable --now nftables.service",
      "systemctl --now mask ufw firewalld",
      "systemctl kill firewall.service",
      "systemctl stop firewalld",
      "systemctl stop netfilter-persistent",
      "systemctl stop iptables-persistent",
      "systemctl stop iptables",
      "systemctl stop ip6tables",
      "systemctl stop nixos-fw",
      "systemctl stop pve-firewall",
      "service nftables stop",
      "invoke-rc.d ufw stop",
      "rc-service nftables stop",
      "update-rc.d nftables disable",
      "update-rc.d -f nftables remove",
      "rc-update del nftables",
      "apt-get purge -y ufw",
      "apt remove nftables",
      "apt purge nftables",
      "apt-get remove nftables",
      "dnf remove firewalld",
      "dpkg -r nftables",
      "dpkg -P nftables",
      "dpkg --purge nftables",
      "dpkg --remove nftables",
      "apk del nftables",
      "nft flush ruleset",
      "nft 'flush ruleset'",
      "nft -a flush ruleset ip",
      "pve-firewall stop",
      "iptables -P INPUT ACCEPT",
      "iptables -t filter --policy INPUT ACCEPT",
      "iptables -P INPUT ACCEPT -w",
      "ip6tables-legacy -P INPUT ACCEPT",
      "iptables-nft -F",
      "iptables -F INPUT",
      "iptables-legacy -F",
      "ip6tables -F",
      "ip6tables-nft -F",
      "iptables -t filter --flush",
      "iptables -A INPUT -j ACCEPT",
      "iptables -I INPUT 1 -j ACCEPT",
      "iptables --append INPUT --jump ACCEPT",
      "iptables --insert INPUT 10 --jump ACCEPT",
      "firewall-cmd --set-default-zone=trusted",
      "firewall-cmd --zone=public --permanent --set-target=ACCEPT",
      "qm set 210 --net0 virtio,bridge=vmbr0,firewall=0",
      "qm set 210 --net0 firewall=0,model=virtio",
      "pct set 300 -net0 name=eth0,firewall=0,bridge=vmbr0",
      'systemctl stop "$OTHER" nftables',
    ].map((line) => ({
      title: `the command ${line}`,
      resources: command(line),
      says: ["it: create", "which turns a firewall off"],
    })),
    {
      title: "cloud-init that runs it",
      resources: cloudInit("runcmd:\n  - [ufw, disable]\n"),
      says: ['is "ufw disable", which turns a firewall off'],
    },
    {
      title: "a unit that runs it",
      resources: payload(
        "/etc/systemd/system/open.service",
        "[Service]",
        "Type=oneshot",
        "ExecStart=/usr/sbin/nft flush ruleset",
      ),
    },
    {
      title: "a command of the machine that deploys, behind ssh",
      resources: [
        { type: "command:local:Command", props: { create: "ssh root@10.32.21.110 systemctl stop nftables" } },
      ],
    },
    {
      title: "a here-document for a shell",
      resources: command("sudo sh <<'EOF'\nset -eu\nufw disable\nEOF"),
    },
    {
      title: "a Nix text without the firewall",
      resources: nix("networking.firewall.enable = false;"),
      says: ["networking.firewall.enable is false, which turns the guest's firewall off."],
    },
    {
      title: "a Nix text with the sets nested",
      resources: nix("networking = { firewall = { enable = false; }; };"),
    },
    {
      title: "a Nix text of several systems",
      resources: nix("nixosConfigurations.vm.config.networking.firewall.enable = false;"),
    },
    { title: "a Nix text that forces it", resources: nix("networking.firewall.enable = lib.mkForce false;") },
    {
      title: "ufw's policy that lets in",
      resources: payload("/etc/default/ufw", 'DEFAULT_INPUT_POLICY="ACCEPT"'),
      says: ["/etc/default/ufw › DEFAULT_INPUT_POLICY", "lets in what no rule names"],
    },
  ],
};
