/** Command lines that turn a firewall of the guest off or on, or that let everything in. */

type Line = readonly string[];
type Program = string | undefined;

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
    "proxmox-firewall",
    "pve-firewall",
    "ufw",
  ].flatMap((name) => [name, `${name}.service`]),
);
export const isFirewall = (unit: string): boolean => FIREWALLS.has(unit);

/** What a program is told to do with one of them. */
const STOPS: ReadonlyMap<Program, Line> = new Map([
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
const STARTS: ReadonlyMap<Program, Line> = new Map([
  ["systemctl", ["enable", "start", "restart"]],
  ["service", ["start", "restart"]],
]);

/** By program: its arguments, a space before and behind each. */
const OFF: ReadonlyMap<Program, RegExp> = new Map([
  ["ufw", / (disable|reset) /],
  ["nft", / flush ruleset | (delete|destroy|flush) (table|chain) .*(filter|firewall|input|-fw)/],
  ["pve-firewall", / stop /],
]);
/** The network device of a VM, which Proxmox's firewall filters only where it is told to: qm(1), pct(1). */
const DEVICE = / --?net\d+[ =](?!(\S*,)?firewall=1[ ,])\S*[=,]/;
const OPEN: ReadonlyMap<Program, RegExp> = new Map([
  ["ufw", / (default allow|default allow incoming|allow (in )?from any( to any)?) $/],
  ["nft", / (add|insert) rule .*input accept | chain .*input.* policy accept/],
  ["firewall-cmd", / --(set-default-zone=trusted|set-target=ACCEPT) /],
  ["qm", DEVICE],
  ["pct", DEVICE],
  ["pvesh", DEVICE],
]);
const ON: ReadonlyMap<Program, RegExp> = new Map([
  ["ufw", / enable /],
  ["nft", / (-f|--file) /],
]);

const tells = (verbs: Line | undefined, line: Line): boolean =>
  verbs?.some((verb) => line.includes(verb)) === true && line.some(isFirewall);
const says = (pattern: RegExp | undefined, line: Line): boolean =>
  pattern?.test(` ${line.join(" ")} `) === true;

/** Whether `program` with the arguments `line` turns a firewall off, or empties it. */
export const turnsFirewallOff = (program: Program, line: Line): boolean =>
  tells(STOPS.get(program), line) ||
  says(OFF.get(program), line) ||
  (isTables(program) && emptiesTables(line));

/** Whether it lets everybody in, whatever firewall is on. */
export const letsEverybodyIn = (program: Program, line: Line): boolean =>
  says(OPEN.get(program), line) || (isTables(program) && acceptsAll(optionsOf(line)));

/** Whether it turns a firewall on, which makes good what was turned off before. */
export const turnsFirewallOn = (program: Program, line: Line): boolean =>
  tells(STARTS.get(program), line) ||
  says(ON.get(program), line) ||
  (isTables(program) && policyOf(optionsOf(line)) === "DROP");

const isTables = (program: Program): boolean => /^ip6?tables(-nft|-legacy)?$/.test(String(program));

/** Long names of iptables(8)'s options, by which it is told the same. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["--append", "-A"],
  ["--insert", "-I"],
  ["--flush", "-F"],
  ["--policy", "-P"],
  ["--jump", "-j"],
  ["--table", "-t"],
  ["--source", "-s"],
  ["--src", "-s"],
  ["--protocol", "-p"],
  ["--wait", "-w"],
]);
type Options = ReadonlyMap<string, Line>;

/** The options of iptables by their short names, each with the words that follow it. */
function optionsOf(line: Line): Options {
  const options = new Map<string, string[]>();
  let values: string[] | undefined;
  for (const word of line) {
    const option = /^(--[^=]+|-\w)=?(.*)/.exec(word);
    if (option === null) {
      values?.push(word);
      continue;
    }
    const name = String(option[1]);
    values = option[2] ? [option[2]] : [];
    options.set(SHORT.get(name) ?? name, values);
  }
  return options;
}

const isFilter = (options: Options): boolean => (options.get("-t")?.[0] ?? "filter") === "filter";

function policyOf(options: Options): string | undefined {
  const policy = options.get("-P");
  return policy?.[0] === "INPUT" && isFilter(options) ? policy[1] : undefined;
}

/** A policy that lets in, or all rules gone: what comes later may make it good. */
function emptiesTables(line: Line): boolean {
  const options = optionsOf(line);
  const flushed = options.get("-F");
  return (
    policyOf(options) === "ACCEPT" ||
    (flushed !== undefined && ["INPUT", undefined].includes(flushed[0]) && isFilter(options))
  );
}

/** Whether a source of packets, or one of several, is everybody: half of all addresses is no condition either. */
export const isEverywhere = (source: string): boolean =>
  source.split(",").some((one) => /^[\da-f:.]+\/[01]$|^0\.0\.0\.0-/i.test(one.trim()));

/** What options of a rule say when it is for all packets. */
const NO_CONDITION: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["-A", (value) => value === "INPUT"],
  ["-I", (value) => /^INPUT( \d+)?$/.test(value)],
  ["-j", (value) => value === "ACCEPT"],
  ["-t", (value) => value === "filter"],
  ["-s", isEverywhere],
  ["-p", (value) => /^(all|tcp|udp)$/.test(value)],
  ["-w", () => true],
]);

/** A rule that accepts whatever comes. */
const acceptsAll = (options: Options): boolean =>
  options.has("-j") &&
  [...options].every(([name, values]) => NO_CONDITION.get(name)?.(values.join(" ")) === true);
