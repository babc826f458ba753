/** Command lines that turn a firewall of the guest off, or that let everything in. */

/** Units and packages of firewalls. */
const FIREWALLS: ReadonlySet<string> = new Set(
  [
    "firewall",
    "firewalld",
    "ip6tables",
    "iptables",
    "iptables-persistent",
    "netfilter-persistent",
    "nftables",
    "nixos-fw",
    "pve-firewall",
    "ufw",
  ].flatMap((name) => [name, `${name}.service`]),
);

/** What a program is told to do with one of them. */
const STOPS: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ["systemctl", ["stop", "disable", "mask", "kill"]],
  ["service", ["stop"]],
  ["invoke-rc.d", ["stop"]],
  ["rc-service", ["stop"]],
  ["rc-update", ["del"]],
  ["update-rc.d", ["disable", "remove"]],
  ["apt", ["remove", "purge"]],
  ["apt-get", ["remove", "purge"]],
  ["dpkg", ["-r", "-P", "--remove", "--purge"]],
  ["dnf", ["remove"]],
  ["apk", ["del"]],
]);

/** A policy that lets in, all rules gone, or a rule without a condition. */
const FILTER =
  / (-P|--policy) INPUT ACCEPT |^ (-t filter )?(-F|--flush) (INPUT )?$|^ (-A|-I|--append|--insert) INPUT (\d+ )?(-j|--jump) ACCEPT $/;
/** The network device of a VM without Proxmox's firewall: qm(1), pct(1). */
const DEVICE = /[ ,]firewall=0[ ,]/;

/** By program: its arguments, a space before and behind each. */
const LINES: ReadonlyMap<string | undefined, RegExp> = new Map([
  ["ufw", / (disable|reset|default allow( incoming)?) $/],
  ["nft", / flush ruleset /],
  ["pve-firewall", / stop /],
  ["iptables", FILTER],
  ["iptables-nft", FILTER],
  ["iptables-legacy", FILTER],
  ["ip6tables", FILTER],
  ["ip6tables-nft", FILTER],
  ["ip6tables-legacy", FILTER],
  ["firewall-cmd", / --(set-default-zone=trusted|set-target=ACCEPT) /],
  ["qm", DEVICE],
  ["pct", DEVICE],
]);

/** Whether `program` with the arguments `line` turns a firewall off. */
export function turnsFirewallOff(program: string | undefined, line: readonly string[]): boolean {
  const verbs = STOPS.get(program);
  const stops = verbs?.some((verb) => line.includes(verb)) && line.some((word) => FIREWALLS.has(word));
  return stops === true || LINES.get(program)?.test(` ${line.join(" ")} `) === true;
}
