import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";

type Resources = Case["resources"];
const command = (create: unknown, more: object = {}): Resources => [
  { type: "command:remote:Command", props: { create, ...more } },
];
const file = (path: string, text: string): Resources => command(`tee ${path}`, { stdin: text });
const snippet = (data: unknown): Resources => [
  { type: "proxmoxve:index/fileLegacy:FileLegacy", props: { sourceRaw: { fileName: "user.yaml", data } } },
];
const policy = (acl: unknown): Resources => [{ type: "tailscale:index/acl:Acl", props: { acl } }];
const container = (props: object): Resources => [
  {
    type: "hermes:index:HermesContainer",
    props: { image: "docker.io/nousresearch/hermes-agent:v2026.7.20", ...props },
  },
];
const named = (texts: readonly string[]): Case[] =>
  texts.map((text) => ({ title: `the command ${JSON.stringify(text)}`, resources: command(text) }));

const RAW = '{"AllowFunnel":{"h.example.ts.net:443":true}}';
const LOCAL_API = "http://local-tailscaled.sock/localapi/v0/serve-config";
const SOCKET = "--unix-socket /run/tailscale/tailscaled.sock";

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    ...named([
      "tailscale serve --service=svc:hermes --https=443 http://127.0.0.1:9119",
      "tailscale serve --bg --set-path /funnel 3000",
      "tailscale serve --bg --set-path funnel 3000",
      "tailscale serve --https=443 --set-path=/x /srv/funnel",
      "tailscale --socket funnel status",
      "tailscale serve status --json",
      'tailscale serve --bg "$TARGET"',
      'tailscale up --auth-key "$KEY" --hostname funnel',
      'tailscaled --state "$STATE" --socket "$SOCKET"',
      "tailscale funnel status",
      "tailscale funnel Status --json",
      "tailscale funnel reset",
      "tailscale funnel RESET",
      "tailscale funnel --https=443 off",
      "tailscale funnel 3000 off",
      "tailscale funnel --help",
      "tailscale-wrapper $VERB",
      "serve funnel 3000",
      "kitchen funnel 3000",
      "# tailscale funnel 443",
      "echo 'never run tailscale funnel 443'",
      "grep -q funnel /etc/motd",
      "systemctl disable tailscale-funnel.service",
      "prog --no-funnel",
      "podman run --label tsdproxy.funnel=false docker.io/x/y:v1.0.0",
      "grep x-l funnel=true /x",
      "grep -l funnel /x",
      "grep --labels funnel=true /x",
      "grep x--label=funnel /x",
      "prog --funnel=false",
      "prog --funnel=0",
      "prog 'never --funnel'",
      "prog '--funnel is never on'",
      "no-tailscale funnel 3000",
      "tailscale ping funnel",
      "tailscale ping set-raw",
      `curl ${SOCKET} ${LOCAL_API} -H POST:x`,
      "printf 'GET /localapi/v0/serve-config HTTP/1.0\\nX: a POST b\\n' | nc -U /run/tailscale/tailscaled.sock",
      "NO_FUNNEL=1 prog",
      "TSIDP_USE_FUNNEL=0 tsidp",
      '"$PROGRAM" status',
      `curl ${SOCKET} ${LOCAL_API}`,
      `curl -X GET ${SOCKET} ${LOCAL_API}`,
      `curl -d a=b https://example.com/serve-config`,
      `curl -X POST ${SOCKET} http://local-tailscaled.sock/localapi/v0/logout -H "X: $Y"`,
      `curl -XPOST ${SOCKET} http://local-tailscaled.sock/localapi/v0/logout`,
      `curl -X POST ${SOCKET} http://local-tailscaled.sock/`,
      `curl -H "X: $Y" ${SOCKET} http://local-tailscaled.sock/`,
      'curl -X POST "$URL"',
      `logger POST ${LOCAL_API}`,
      "install -d /etc/serve-config /var/lib/localapi",
      "tailscale debug localapi serve-config",
      "tailscale debug localapi GET serve-config",
      "printf 'GET /localapi/v0/serve-config HTTP/1.0\\r\\n\\r\\n' | nc -U /run/tailscale/tailscaled.sock",
    ]),
    { title: "a container that is Hermes", resources: container({ command: ["gateway", "run"] }) },
    {
      title: "a container whose command is not known yet",
      resources: container({ command: unknown, environment: { X: unknown, TSIDP_USE_FUNNEL: unknown } }),
    },
    {
      title: "a container that reads the funnel setting as off",
      resources: command("podman run --rm -e TSIDP_USE_FUNNEL=false docker.io/x/y:v1.0.0 run"),
    },
    {
      title: "notes that mention the command",
      resources: file("/root/notes.md", "Never run:\n\n    tailscale funnel 443\n"),
    },
    {
      title: "a list of something else, and labels that say no",
      resources: file(
        "/x.yaml",
        "x:\n  xlabel: [funnel=true]\n  labelsx: [funnel=true]\n  labels: [funnel=false]\n",
      ),
    },
    { title: "a folder of a served path", resources: file("/x.json", '{"Handlers": {"/funnel": true}}') },
    {
      title: "settings that forbid it",
      resources: container({ noFunnel: true, funnel: "denied", allowFunnel: false, funnels: 0 }),
    },
    ...["", "0", "f", "false", "n", "no", "off", "none", "null", "never", "disable", "disabled", "deny"].map(
      (value) => ({ title: `the setting ${JSON.stringify(value)}`, resources: container({ funnel: value }) }),
    ),
    ...["denied", "block", "blocked", "refuse", "refused", "forbid", "forbidden", " off ", "not  here"].map(
      (value) => ({ title: `the setting ${JSON.stringify(value)}`, resources: container({ funnel: value }) }),
    ),
    {
      title: "settings below what is switched off",
      resources: file("/x.json", '{"a": {"funnel": {"enabled": false, "x": {"port": 443}}}}'),
    },
    {
      title: "settings that are about another funnel",
      resources: file("/x.yaml", 'salesFunnel: true\nFUNNEL_STEPS: 3\nfunnel.example.org/step: "1"\n'),
    },
    { title: "a list of words", resources: file("/x.json", '["funnel"]') },
    { title: "a number that says no", resources: container({ allowFunnel: 0, useFunnel: null }) },
    { title: "a sentence about it", resources: container({ funnel: "it is off here" }) },
    { title: "an empty map of what is allowed", resources: file("/x.json", '{"AllowFunnel": {}}') },
    {
      title: "settings of what is switched off",
      resources: file("/x.json", '{"a": {"funnel": {"enable": false, "port": 443}}, "b": 1}'),
    },
    { title: "a setting that is not known yet", resources: container({ allowFunnel: unknown }) },
    { title: "an attribute that is not known yet", resources: policy(unknown) },
    {
      title: "a policy that has the attribute in a comment, and others",
      resources: policy(
        '// "attr": ["funnel"]\n{"nodeAttrs": [{"target": ["*"], "attr": ["mullvad", "nofunnel", "funnelweb"],}], "groups": {"group:attr": ["funnel"]}}',
      ),
    },
  ],
  refuses: [
    ...named([
      "tailscale funnel 3000",
      "tailscale funnel --bg 3000",
      "tailscale funnel --bg --yes --https=8443 http://127.0.0.1:9119",
      "tailscale funnel 443 on",
      "tailscale funnel status-page",
      "tailscale funnel my-status",
      "tailscale funnel reset.html",
      "tailscale funnel off 3000",
      "tailscale funnel OFF",
      'tailscale funnel "$PORT"',
      "tailscale funnel set-raw < /x.json",
      "tailscale FUNNEL 3000",
      "/usr/bin/tailscale --socket=/x Funnel 3000",
      "tailscale --socket status funnel 3000",
      "tailscale -socket status funnel 3000",
      "tailscale funnel --https 443 3000",
      "tailscale funnel --set-path status 3000",
      "tailscale funnel --tcp status 3000",
      "tailscale funnel --tls-terminated-tcp status 3000",
      "tailscale funnel --proxy-protocol status 3000",
      "tailscale funnel --https status 3000",
      "tailscale serve --http status funnel 443 on",
      "tailscale serve --service status funnel 443 on",
      "tailscale serve --accept-app-caps status funnel 443 on",
      "tailscale serve funnel 443 on",
      "tailscale serve Funnel on",
      "Tailscale funnel 3000",
      "TS_BE_CLI=1 tailscaled funnel 3000",
      "tailscale.combined funnel 3000",
      "sudo -n tailscale funnel 3000",
      "busybox env A=1 tailscale funnel 3000",
      "systemd-run --unit x -- tailscale funnel 3000",
      "timeout 9 nohup tailscale funnel 3000 &",
      "podman exec ts tailscale funnel 3000",
      "ssh host 'tailscale funnel 3000'",
      `tailscale\${IFS}funnel 3000`,
      `T=$(command -v tailscale); V=fun; "$T" "\${V}nel" 3000`,
      '"$PREFIX/bin/tailscale" funnel 3000',
      "echo dGFpbHNjYWxlIGZ1bm5lbCAtLWJnIDMwMDA= | base64 -d | sh",
      'f() { tailscale "$@"; }; f funnel 3000',
      "tail''scale fun\\nel 3000",
      "bash -c 'tailscale funnel 3000'",
      `tailscale serve set-raw <<'X'\n${RAW}\nX`,
      `echo '${RAW}' | tailscale serve set-raw`,
      "tailscale serve Set-Raw < /x.json",
      "tsidp -funnel",
      "tsidp --use-funnel=true",
      "TSIDP_USE_FUNNEL=1 tsidp",
      'TSIDP_USE_FUNNEL="$X" tsidp',
      "export TSIDP_USE_FUNNEL=1",
      `curl ${SOCKET} -XPOST -d '{}' ${LOCAL_API}`,
      `curl -sX PUT ${SOCKET} ${LOCAL_API}`,
      `curl ${SOCKET} -d@/x.json ${LOCAL_API.replace("-", "%2d").replace("serve-", "serve%2D")}`,
      `curl ${SOCKET} -d @/x.json "$URL"`,
      `curl ${SOCKET} -d @/x.json "http://local-tailscaled.sock/localapi/v0/$WHAT"`,
      `curl --unix-socket "$SOCKET" -d @/x.json ${LOCAL_API}`,
      `"$CURL" ${SOCKET} -d @/x.json ${LOCAL_API}`,
      "tailscale debug localapi POST serve-config '{}'",
      "tailscale debug localapi POST localapi/v0/serve-config -",
      ...["nc -U", "ncat -U", "netcat -U", "socat - UNIX-CONNECT:"].flatMap((program) =>
        ["POST", "PUT", "PATCH"].map(
          (method) =>
            `printf 'A: b\\n${method} /localapi/v0/serve-config HTTP/1.0\\n' | ${program} /run/tailscale/tailscaled.sock`,
        ),
      ),
    ]),
    ...named([
      "podman run --label tsdproxy.funnel=true docker.io/x/y:v1.0.0",
      "podman run -l tsdproxy.funnel=true docker.io/x/y:v1.0.0",
      "docker run --label=tsdproxy.funnel=true docker.io/x/y:v1.0.0",
    ]),
    {
      title: "labels as a list",
      resources: file(
        "/opt/compose.yaml",
        "services:\n  x:\n    image: docker.io/x/y:v1.0.0\n    labels:\n      - tsdproxy.funnel=true\n",
      ),
      says: ["labels.0", "turns Funnel on"],
    },
    {
      title: "a Quadlet unit's label",
      resources: file(
        "/etc/containers/systemd/x.container",
        "[Container]\nImage=docker.io/x/y:v1.0.0\nLabel=tsdproxy.funnel=true\n",
      ),
    },
    {
      title: "a text that is nested too deeply to be read",
      resources: file("/x.json", `${"[".repeat(200)}1${"]".repeat(200)}`),
      says: ["stdin holds a text that is too large or too deeply nested to be read. Hand it over"],
    },
    {
      title: "the command, with the words, the reason and the fix",
      resources: command("sudo tailscale funnel --bg 3000"),
      says: [
        'it: create is "tailscale funnel --bg 3000", which turns Funnel on.',
        "tailscale serve --service=svc:hermes",
      ],
    },
    {
      title: "a subcommand that a variable names",
      resources: command('tailscale "$VERB" 3000'),
      says: ["leaves its subcommand to a variable", "Write the subcommand"],
    },
    {
      title: "a raw configuration on stdin",
      resources: command("tailscale serve set-raw", { stdin: unknown }),
      says: ["takes a raw configuration"],
    },
    {
      title: "a request to the daemon",
      resources: command(`curl ${SOCKET} -d '{}' ${LOCAL_API}`),
      says: ["sets what tailscaled serves past its command line"],
    },
    { title: "the command on update", resources: command("true", { update: "tailscale funnel 3000" }) },
    {
      title: "the command beside an unknown value",
      resources: command("tailscale funnel 3000", { stdin: unknown, environment: unknown }),
    },
    { title: "a secret command", resources: command(secret("tailscale funnel 3000")) },
    {
      title: "the command on the deploying machine",
      resources: [{ type: "command:local:Command", props: { create: "ssh host tailscale funnel 3000" } }],
    },
    {
      title: "the command in a script on stdin",
      resources: command("sudo sh -s", { stdin: "set -eu\ntailscale funnel 3000\n" }),
    },
    {
      title: "the command in a unit, after another",
      resources: file(
        "/etc/systemd/system/x.service",
        "[Service]\nType=oneshot\nExecStart=/bin/true ; -/usr/bin/tailscale funnel 3000\n",
      ),
    },
    {
      title: "the command in a unit of a staged payload",
      resources: command("hermes-guest stage", {
        stdin: JSON.stringify({
          files: [
            {
              path: "/etc/systemd/system/x.service",
              content: ["[Service]", "ExecStartPost=tailscale funnel 3000"],
            },
          ],
        }),
      }),
      says: ["/etc/systemd/system/x.service", "turns Funnel on"],
    },
    {
      title: "the command in a unit that a heredoc writes",
      resources: command(
        "cat > /etc/systemd/system/x.service <<'E'\n[Service]\nExecStart=tailscale funnel 3000\nE\n",
      ),
    },
    {
      title: "a unit's variable",
      resources: file(
        "/etc/systemd/system/x.service",
        "[Service]\nEnvironment=TSIDP_USE_FUNNEL=1\nExecStart=/bin/tsidp\n",
      ),
      says: ["Environment", "turns Funnel on"],
    },
    {
      title: "a Quadlet unit whose image is tailscale",
      resources: file(
        "/etc/containers/systemd/ts.container",
        "[Container]\nImage=docker.io/tailscale/tailscale:v1.102.5\nEntrypoint=tailscale\nExec=funnel 3000\n",
      ),
    },
    {
      title: "a container whose entry point is tailscale",
      resources: command("podman run --rm --entrypoint tailscale docker.io/x/y:v1.0.0 funnel 3000"),
    },
    {
      title: "a container that is told to by its entry point's option",
      resources: command("podman run --rm docker.io/x/tsidp:v1.0.0 --funnel"),
    },
    {
      title: "a container that is told to by a variable",
      resources: command("podman run --rm -e TSIDP_USE_FUNNEL=true docker.io/x/tsidp:v1.0.0"),
    },
    {
      title: "a component's command",
      resources: container({ command: ["tailscale", "funnel", "443"] }),
    },
    {
      title: "a component's arguments",
      resources: container({ command: ["funnel", "443"], environment: unknown }),
    },
    {
      title: "a component's variable, once",
      resources: container({ environment: { TSIDP_USE_FUNNEL: "1" }, command: ["run"] }),
      says: ['it: environment.TSIDP_USE_FUNNEL is "1", which turns Funnel on'],
    },
    {
      title: "the command in cloud-init, as a list and in another case",
      resources: snippet("#cloud-config\nruncmd:\n  - [tailscale, Funnel, --bg, 3000]\n"),
    },
    {
      title: "the command in cloud-init, as a line",
      resources: snippet("#cloud-config\nbootcmd:\n  - sleep 1; tailscale funnel 3000\n"),
    },
    {
      title: "a serve configuration in cloud-init, encoded",
      resources: snippet(
        `#cloud-config\nwrite_files:\n  - path: /etc/ts/serve.json\n    encoding: b64\n    content: ${btoa(RAW)}\n`,
      ),
    },
    {
      title: "a serve configuration",
      resources: file("/etc/ts/serve.json", RAW),
      says: ["AllowFunnel", "is true"],
    },
    {
      title: "a serve configuration in small letters",
      resources: file("/etc/ts/serve.json", RAW.toLowerCase()),
    },
    {
      title: "a serve configuration for a session",
      resources: file("/etc/ts/serve.json", `{"Foreground": {"x": ${RAW}}}`),
    },
    {
      title: "a compose file",
      resources: file(
        "/opt/compose.yaml",
        'services:\n  ts:\n    image: docker.io/tailscale/tailscale:v1.102.5\n    command: ["funnel", "3000"]\n',
      ),
    },
    {
      title: "an annotation of Kubernetes",
      resources: file("/x.yaml", 'metadata:\n  annotations:\n    tailscale.com/funnel: "true"\n'),
    },
    ...[
      'tsdproxy.funnel: "true"',
      'docktail.funnel.enable: "true"',
      "funnel_enabled: true",
      "enableFunnel: 1",
    ].map((line) => ({
      title: `the setting ${line}`,
      resources: file("/x.yaml", `services:\n  ts:\n    labels:\n      ${line}\n`),
    })),
    {
      title: "a setting with its ports, switched on",
      resources: file("/x.json", '{"funnel": {"enable": true, "port": 443}, "other": {"enable": false}}'),
    },
    ...["tls", "reenable", "enabler"].map((other) => ({
      title: `a setting beside ${other}, which is off`,
      resources: file("/x.json", `{"funnel": {"port": 443, "${other}": false}}`),
    })),
    {
      title: "a setting beside one of another that is off",
      resources: file("/x.json", '{"a": {"enabled": false, "funnel": 443}}'),
    },
    { title: "a component's argument", resources: container({ funnel: { allowFunnel: secret("yes") } }) },
    {
      title: "a Python script",
      resources: command(
        'python3 - <<E\nimport subprocess\nsubprocess.run(["tailscale", "funnel", "--bg", "3000"])\nE\n',
      ),
    },
    {
      title: "a Nix script",
      resources: file(
        "/etc/nixos/x.nix",
        `{ pkgs, lib, ... }: {\n  systemd.services.x.script = ''\n    \${lib.getExe pkgs.tailscale} funnel 3000\n  '';\n}\n`,
      ),
    },
    {
      title: "a Nix unit",
      resources: file(
        "/etc/nixos/x.nix",
        `{ pkgs, ... }: {\n  systemd.services.x.serviceConfig.ExecStart = "\${pkgs.tailscale}/bin/tailscale funnel 3000";\n}\n`,
      ),
    },
    {
      title: "a Nix setting",
      resources: file("/etc/nixos/x.nix", "{ ... }: {\n  services.tsidp.settings.useFunnel = true;\n}\n"),
    },
    {
      title: "a node attribute, with the fix",
      resources: policy('{"nodeAttrs": [{"target": ["tag:server"], "attr": ["funnel"]}]}'),
      says: ["nodeAttrs.0.attr.0", '"funnel"', "lets nodes turn Funnel on", "Take the node attribute out"],
    },
    {
      title: "a node attribute among comments and in another case",
      resources: policy(
        '// ours\n{/* x */ "NodeAttrs": [{"Target": ["*"], "ATTR": ["mullvad", "Funnel",],},],}',
      ),
    },
    {
      title: "a node attribute that is no list, by its full name",
      resources: policy(
        '{"nodeAttrs": [{"target": ["*"], "attr": " https://tailscale.com/cap/funnel-ports?ports=443"}]}',
      ),
    },
    {
      title: "a node attribute as a property",
      resources: [
        {
          type: "pulumi-nodejs:dynamic/hermes:TailnetPolicyEntry",
          props: { nodeAttrs: [{ target: unknown, attr: ["https://tailscale.com/cap/funnel"] }] },
        },
      ],
    },
  ],
};
