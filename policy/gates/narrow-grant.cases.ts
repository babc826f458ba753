import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";

type Resources = Case["resources"];
type Props = Readonly<Record<string, unknown>>;
const tailnetService = (props: Props): CaseResource => ({
  type: "hermes:index:TailnetService",
  name: "service",
  props: { service: "svc:hermes", ports: ["tcp:443"], tags: ["tag:server"], ...props },
});
const service = (props: Props): CaseResource => ({
  type: "tailscale:index/service:Service",
  name: "service",
  props: { name: "svc:hermes", ports: ["tcp:443"], ...props },
});
const acl = (text: unknown, name = "policy"): CaseResource => ({
  type: "tailscale:index/acl:Acl",
  name,
  props: { acl: text },
});
const entry = (props: Props): Resources => [
  {
    type: "pulumi-nodejs:dynamic/hermes:TailnetPolicyEntry",
    name: "entry",
    props: { __provider: "exports.handler = 1;\n", ...props },
  },
];
const GRANT = { src: ["autogroup:member"], dst: ["svc:hermes"], ip: ["443"] };
const grants = (...list: object[]): Resources => [acl(JSON.stringify({ grants: list }))];
const acls = (rule: object): Resources => [acl(JSON.stringify({ acls: [{ action: "accept", ...rule }] }))];
const OPEN = JSON.stringify({ grants: [{ ...GRANT, src: ["*"] }] });

/** As the issue of the tailnet has the file: comments, trailing commas. */
const HUJSON = `// The tailnet of two.
{
  "tagOwners": { "tag:server": ["autogroup:admin"] },
  "grants": [
    // everybody: {"src": ["*"], "dst": ["svc:hermes"]}
    { "src": ["autogroup:member"], "dst": ["svc:hermes"], "ip": ["SRC"] },
  ],
  "autoApprovers": { "services": { "svc:hermes": ["tag:server"] } },
}
`;

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "the members, at the one port", resources: [tailnetService({ grantTo: ["autogroup:member"] })] },
    {
      title: "a service that leaves both to its defaults",
      resources: [tailnetService({ grantTo: undefined, ports: undefined })],
    },
    {
      title: "values that are not known yet",
      resources: [tailnetService({ service: unknown, grantTo: unknown, ports: [unknown] })],
    },
    { title: "the provider's service", resources: [service({})] },
    {
      title: "another service with other ports",
      resources: [service({ name: "svc:web", ports: ["tcp:80"] })],
    },
    {
      title: "a service whose name is not known yet",
      resources: [service({ name: unknown, ports: ["tcp:80"] })],
    },
    {
      title: "more ports that the pack's configuration allows",
      resources: [tailnetService({ ports: ["tcp:443", "tcp:80"] })],
      settings: { ports: ["443", "TCP:80"] },
    },
    { title: "the grant of the documentation", resources: grants(GRANT) },
    { title: "a policy file with comments", resources: [acl(HUJSON.replace("SRC", "tcp:443"))] },
    { title: "a policy file that is not known yet", resources: [acl(unknown)] },
    ...["tcp:443", "TCP:443", " 443 "].map((ip) => ({
      title: `the port as ${JSON.stringify(ip)}`,
      resources: grants({ ...GRANT, ip: [ip] }),
    })),
    ...[
      "autogroup:member",
      "alice@example.com",
      "group:home",
      "tag:client",
      "100.101.102.103",
      "100.64.0.0/12",
      "100.64.0.0-100.95.255.254",
      "x100.64.0.0/10",
      "100.64.0.0/10x",
      "100.0.0.0/10",
      "128.0.0.0/1",
      "fd7a:115c:a1e0::/49",
      "fd7a:115c:a1e0::/64",
      "host*",
      "x-autogroup:danger-all",
      "autogroup:danger-all-but-bob",
      "10.0.0.0/24",
    ].map((src) => ({ title: `the source ${src}`, resources: grants({ ...GRANT, src: [src] }) })),
    {
      title: "everybody at another service",
      resources: grants({ ...GRANT, src: ["*"], dst: ["svc:web"], ip: ["80"] }),
    },
    { title: "everybody at another tag", resources: grants({ src: ["*"], dst: ["tag:web"], ip: ["80"] }) },
    {
      title: "administrators everywhere",
      resources: grants({ src: ["autogroup:admin"], dst: ["*"], ip: ["*"] }),
    },
    {
      title: "members at the guest's tag",
      resources: grants({ src: ["autogroup:member"], dst: ["tag:server"], ip: ["22"] }),
    },
    {
      title: "everybody at a tag that the guest does not have",
      resources: grants({ src: ["*"], dst: ["tag:server"], ip: ["*"] }),
      settings: { tags: ["tag:hermes"] },
    },
    {
      title: "a grant of a capability alone",
      resources: grants({
        src: ["autogroup:member"],
        dst: ["svc:hermes"],
        app: { "example.com/cap/x": [{}] },
      }),
    },
    {
      title: "a host that is one machine",
      resources: [
        acl(JSON.stringify({ hosts: { all: "100.64.0.7" }, grants: [{ ...GRANT, src: ["all"] }] })),
      ],
    },
    {
      title: "a legacy rule for the one port",
      resources: acls({ src: ["autogroup:member"], dst: ["svc:hermes:443"] }),
    },
    {
      title: "a legacy rule for others",
      resources: acls({ src: ["*"], dst: ["tag:web:80,443", "svc:web:80"] }),
    },
    {
      title: "sections of other names than hosts",
      resources: [
        acl(
          JSON.stringify({
            xhosts: { bob: "0.0.0.0/0" },
            hostsx: { bob: "0.0.0.0/0" },
            grants: [{ ...GRANT, src: ["bob"] }],
          }),
        ),
      ],
    },
    {
      title: "a dictionary of a Python program",
      resources: [{ type: "command:remote:Command", props: { create: "tee /root/x.py", stdin: OPEN } }],
    },
    {
      title: "prose with a policy in it",
      resources: [
        {
          type: "command:remote:Command",
          props: { create: "tee /etc/motd", stdin: `Never grant ${OPEN}\n` },
        },
      ],
    },
    {
      title: "several that are few",
      resources: grants({ ...GRANT, src: ["100.64.0.0/12", "100.96.0.0/13", "10.0.0.0/8", "fd00::1"] }),
    },
    {
      title: "a set of few addresses, and one without some",
      resources: [
        acl(
          JSON.stringify({
            ipsets: { "ipset:x": ["100.64.0.7", "remove 0.0.0.0/0", "ipset:x"] },
            grants: [{ ...GRANT, src: ["ipset:x", "ipset:y"] }],
          }),
        ),
      ],
    },
    { title: "a service whose name is no text", resources: [service({ name: {}, ports: ["tcp:80"] })] },
    { title: "a legacy rule without a port", resources: acls({ src: ["*"], dst: ["web"] }) },
    {
      title: "a policy test that names everybody",
      resources: [acl(JSON.stringify({ tests: [{ src: "*", accept: ["svc:hermes:443"] }] }))],
    },
    { title: "a text that is no policy", resources: [acl("grants: *")] },
    {
      title: "the program's entry",
      resources: entry({
        service: "svc:hermes",
        grant: GRANT,
        approvers: ["tag:server"],
        ports: ["tcp:443"],
        grantTo: ["autogroup:member"],
      }),
    },
    {
      title: "an entry that is not known yet",
      resources: entry({ grant: unknown, src: [unknown], dst: unknown, ip: null }),
    },
    {
      title: "another resource that has a source and ports",
      resources: [{ type: "x:y:Z", props: { src: ["*"], grantTo: ["*"], ports: ["1-65535"], dst: ["*"] } }],
    },
    {
      title: "another file with grants in it, which is no policy",
      resources: [
        {
          type: "command:remote:Command",
          props: { create: "tee /etc/x.yaml", stdin: "grants:\n  - src: ['*']\n    dst: ['svc:hermes']\n" },
        },
      ],
    },
  ],
  refuses: [
    {
      title: "everybody at the service",
      resources: [tailnetService({ grantTo: ["autogroup:member", "*"] })],
      says: ['service: grantTo is "*", which is everybody. Grant it', '`grantTo: ["autogroup:member"]`.'],
    },
    {
      title: "everybody, outside the tailnet too",
      resources: [tailnetService({ grantTo: "autogroup:danger-all" })],
    },
    {
      title: "more ports than the service's",
      resources: [tailnetService({ ports: ["tcp:443", "tcp:9119"] })],
      says: [
        'service: ports is "tcp:9119", which is more than the service\'s ports (tcp:443). Serve only',
        '`ports: ["tcp:443"]`.',
      ],
    },
    {
      title: "a secret source beside unknown ones",
      resources: [tailnetService({ grantTo: [unknown, secret("*")], ports: unknown })],
    },
    { title: "a port by a number", resources: [tailnetService({ ports: [9119] })] },
    {
      title: "more ports of the provider's service",
      resources: [service({ ports: ["tcp:443", "tcp:8642"] })],
      says: ['ports is "tcp:8642"', '`ports: ["tcp:443"]`.'],
    },
    {
      title: "that service in other case",
      resources: [service({ name: "SVC:Hermes", ports: ["do-not-validate"] })],
    },
    {
      title: "a service that a TailnetService names",
      resources: [
        tailnetService({ service: "svc:Agent" }),
        { ...service({ name: "svc:agent", ports: ["tcp:1"] }), name: "other" },
      ],
      says: ["other: ports"],
    },
    {
      title: "a service that the pack's configuration names",
      resources: [service({ name: "svc:agent", ports: ["tcp:1"] })],
      settings: { services: ["svc:Agent"] },
    },
    {
      title: "a port that is none of several",
      resources: [tailnetService({ ports: ["tcp:80"] })],
      settings: { ports: ["tcp:443", "tcp:8443"] },
      says: ["(tcp:443, tcp:8443)"],
    },
    {
      title: "a port that the pack's configuration leaves out",
      resources: [tailnetService({})],
      settings: { ports: ["tcp:8443"] },
    },
    ...["*", "tcp:*", "443-8443", "tcp:1-65535", "udp:443", "80", "icmp:*"].map((ip) => ({
      title: `a grant of ${ip}`,
      resources: grants(GRANT, { ...GRANT, ip: ["443", ip] }),
      says: [`policy: acl › grants[1].ip is ${JSON.stringify(ip)}, which is more than`, '"ip": ["443"]'],
    })),
    ...[
      "*",
      " * ",
      "autogroup:danger-all",
      "AUTOGROUP:danger-all",
      "0.0.0.0/0",
      "::/0",
      "100.64.0.0/10",
      "96.0.0.0/3",
      "100.64.0.0/11",
      " 100.64.0.0/11 ",
      "100.100.0.0/10",
      "0.0.0.0-255.255.255.255",
      "100.64.0.0-100.127.255.255",
      "100.64.0.0-100.95.255.255",
      "100.96.0.0-100.127.255.255",
      "fd7a:115c:a1e0::/48",
      "FD7A::/16",
      "fd00::/8",
      "fd7a:115c::/32",
      "fd7a:115c:a1e0::/40",
    ].map((src) => ({
      title: `a grant to ${src}`,
      resources: grants({ ...GRANT, src: ["alice@example.com", src] }),
      says: [`policy: acl › grants[0].src is ${JSON.stringify(src)}, which is everybody`],
    })),
    { title: "a policy file with comments", resources: [acl(HUJSON.replace("SRC", "1-65535"))] },
    {
      title: "sources that are everybody together",
      resources: grants({ ...GRANT, src: ["100.64.0.0/12", "bob", "100.80.0.0/12"] }),
      says: ['"100.64.0.0/12, bob, 100.80.0.0/12", which is everybody'],
    },
    {
      title: "sources of which one is everybody, by that one",
      resources: grants({ ...GRANT, src: ["bob", "0.0.0.0/0"] }),
      says: ['src is "0.0.0.0/0", which is everybody'],
    },
    ...[
      { ipsets: { "ipset:all": ["0.0.0.0/0"] }, src: "ipset:all" },
      { IPSets: { "ipset:a": ["ipset:b"], "ipset:b": ["add *"] }, src: "ipset:a" },
      { hosts: { all: "0.0.0.0/0" }, src: "host:all" },
    ].map(({ src, ...more }) => ({
      title: `everybody as ${src}`,
      resources: [acl(JSON.stringify({ ...more, grants: [{ ...GRANT, src: [src] }] }))] as const,
    })),
    {
      title: "the service in a set",
      resources: [
        acl(
          JSON.stringify({
            ipsets: { "ipset:g": ["svc:hermes"] },
            grants: [{ ...GRANT, src: ["*"], dst: ["ipset:g"] }],
          }),
        ),
      ],
    },
    { title: "every service", resources: grants({ ...GRANT, dst: ["svc:*"], src: ["*"] }) },
    { title: "an entry that reaches every service", resources: entry({ dst: ["svc:*"] }) },
    {
      title: "keys of other case, which Go reads too",
      resources: [acl(JSON.stringify({ Grants: [{ SRC: ["*"], Dst: ["svc:hermes"], IP: ["443"] }] }))],
    },
    {
      title: "a section with a letter that folds to s",
      resources: [
        acl(JSON.stringify({ ["acl\u017f"]: [{ action: "accept", src: ["*"], dst: ["svc:hermes:443"] }] })),
      ],
    },
    { title: "a source that is a text alone", resources: grants({ ...GRANT, src: "*" }) },
    {
      title: "a service of other case in a grant",
      resources: grants({ ...GRANT, dst: ["svc:web", "SVC:hermes"], ip: ["80"] }),
    },
    { title: "everybody at everything", resources: grants({ src: ["*"], dst: ["*"], ip: ["443"] }) },
    {
      title: "everybody at every address",
      resources: grants({ src: ["*"], dst: ["100.64.0.0/10"], ip: ["443"] }),
    },
    {
      title: "everybody at the guest's tag",
      resources: grants({ src: ["*"], dst: ["tag:web", "tag:server"], ip: ["443"] }),
    },
    {
      title: "everybody by a host's name",
      resources: [acl(JSON.stringify({ grants: [{ ...GRANT, src: ["all"] }], Hosts: { all: "0.0.0.0/0" } }))],
    },
    {
      title: "everything by a host's name",
      resources: [
        acl(
          JSON.stringify({ hosts: { all: "0.0.0.0/0" }, grants: [{ src: ["*"], dst: ["all"], ip: ["1"] }] }),
        ),
      ],
    },
    {
      title: "a legacy rule with more ports",
      resources: acls({ src: ["autogroup:member"], dst: ["svc:hermes:443,9119"] }),
      says: ['acl › acls[0].dst is "9119"'],
    },
    {
      title: "a legacy rule for everybody",
      resources: acls({ src: ["*"], dst: ["svc:hermes:443"] }),
      says: ["acl › acls[0].src"],
    },
    { title: "the policy that every tailnet begins with", resources: acls({ src: ["*"], dst: ["*:*"] }) },
    {
      title: "the oldest names of a rule's parts",
      resources: acls({ users: ["*"], ports: ["svc:hermes:443"] }),
    },
    {
      title: "a service that comes after the policy that names it",
      resources: [
        acl(JSON.stringify({ grants: [{ ...GRANT, dst: ["svc:agent"], src: ["*"] }] })),
        tailnetService({ service: "svc:agent" }),
      ],
      says: ["service: acl › grants[0].src"],
    },
    {
      title: "an entry for everybody",
      resources: entry({ grant: { ...GRANT, src: ["*"] } }),
      says: ['entry: grant.src is "*", which is everybody.'],
    },
    {
      title: "an entry with the args of the service",
      resources: entry({ args: { grantTo: ["*"] } }),
      says: ["args.grantTo", '`grantTo: ["autogroup:member"]`'],
    },
    {
      title: "an entry of more ports",
      resources: entry({ grants: [{ ...GRANT, ip: ["*"] }] }),
      says: ['grants.0.ip is "*"'],
    },
    {
      title: "an entry of more ports, by another name",
      resources: entry({ ports: ["tcp:80"] }),
      says: ['ports is "tcp:80"', '`ports: ["tcp:443"]`'],
    },
    {
      title: "an entry that reaches more",
      resources: entry({ grant: { ...GRANT, dst: ["svc:hermes", "tag:server"] } }),
      says: ['grant.dst is "tag:server", which is more than the service.'],
    },
    {
      title: "an entry that reaches something with the service's name in it",
      resources: entry({ dst: "tag:svc:hermes" }),
    },
    {
      title: "an entry of capitals",
      resources: entry({ grant: { ...GRANT, dst: ["SVC:hermes"], src: ["*"] } }),
    },
    {
      title: "an entry as a text",
      resources: entry({ text: `{\n "grants": ${JSON.stringify([{ ...GRANT, src: ["*"] }])}\n}` }),
    },
    {
      title: "a policy on its way to the API",
      resources: [
        {
          type: "command:local:Command",
          props: { create: "curl --data @- https://api.tailscale.com/api/v2/tailnet/-/acl", stdin: OPEN },
        },
      ],
    },
    {
      title: "a policy file that is copied",
      resources: [
        {
          type: "command:remote:Command",
          props: { create: "tee /root/policy.hujson", stdin: HUJSON.replace("SRC", "22") },
        },
      ],
    },
  ],
};
