import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";
import { dropIn, file, nix, part, quadlet, remote, snippet } from "../testing/notations.ts";

const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";
const HOST = "HERMES_DASHBOARD_HOST";
const BASIC = {
  HERMES_DASHBOARD_BASIC_AUTH_USERNAME: "me",
  HERMES_DASHBOARD_BASIC_AUTH_PASSWORD_HASH: "scrypt$1",
  HERMES_DASHBOARD_BASIC_AUTH_SECRET: "s",
};
const OIDC = { HERMES_DASHBOARD_OIDC_ISSUER: "https://id.lan", HERMES_DASHBOARD_OIDC_CLIENT_ID: "hermes" };

const container = (environment: unknown, more: object = {}): Case["resources"] => [
  { type: "hermes:index:HermesContainer", props: { image: IMAGE, environment, ...more } },
];
const env = (text: string) => file("/etc/hermes/hermes.env", text);
const compose = (text: string) =>
  file("/srv/compose.yaml", `services:\n  hermes:\n    image: ${IMAGE}\n    environment:\n${text}\n`);
const login = (of: object) =>
  Object.entries(of)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
/** A unit and the file with its variables, in one payload. */
const both = (unit: string, variables: string): Case["resources"] =>
  remote("hermes-guest stage container", {
    stdin: JSON.stringify({
      files: [
        {
          path: "/etc/containers/systemd/hermes.container",
          content: `[Container]\nImage=${IMAGE}\n${unit}`.split("\n"),
        },
        { path: "/etc/hermes/hermes.env", content: variables.split("\n") },
      ],
    }),
  });

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    ...["127.0.0.1", "localhost", "::1"].map((host) => ({
      title: host,
      resources: container({ HERMES_DASHBOARD: "1", [HOST]: host }),
    })),
    { title: "a container without a dashboard", resources: container({}) },
    ...["", "0", "false", "No", "off"].map((value) => ({
      title: `a dashboard that is switched off by ${JSON.stringify(value)}`,
      resources: container({ HERMES_DASHBOARD: value }),
    })),
    {
      title: "an address that is not known yet",
      resources: container({ HERMES_DASHBOARD: "1", [HOST]: unknown }),
    },
    { title: "an environment that is not known yet", resources: container(unknown) },
    { title: "a login with a password", resources: container({ [HOST]: "0.0.0.0", ...BASIC }) },
    { title: "a login with OIDC", resources: container({ [HOST]: "0.0.0.0", ...OIDC }) },
    {
      title: "a login whose secret is not known yet",
      resources: container({ [HOST]: "0.0.0.0", ...BASIC, HERMES_DASHBOARD_BASIC_AUTH_SECRET: unknown }),
    },
    {
      title: "a login and the image's own address",
      resources: container({ HERMES_DASHBOARD: "1", ...OIDC }),
    },
    { title: "a login in a file of variables", resources: env(`${HOST}=0.0.0.0\n${login(BASIC)}\n`) },
    {
      title: "a unit that takes its login from the file beside it",
      resources: both(`Environment=${HOST}=0.0.0.0`, login(OIDC)),
    },
    {
      title: "a unit that takes its address from the file beside it",
      resources: both("Environment=HERMES_DASHBOARD=1", `${HOST}=127.0.0.1`),
    },
    {
      title: "a drop-in that leaves the address to its unit",
      resources: dropIn("Environment=HERMES_DASHBOARD=1"),
    },
    { title: "the address in a comment", resources: env(`# ${HOST}=0.0.0.0\n`) },
    { title: "the address in prose", resources: remote(`echo "never set ${HOST}=0.0.0.0"`) },
    {
      title: "another variable with a longer name",
      resources: env(`MY_${HOST}=0.0.0.0\nAPI_SERVER_HOSTS=0.0.0.0\n`),
    },
    { title: "another program's address", resources: env("HOST=0.0.0.0\n") },
    {
      title: "another image beside the variables of Hermes",
      resources: file(
        "/srv/compose.yaml",
        `services:\n  web:\n    image: docker.io/library/caddy:2\nx-more:\n  HERMES_DASHBOARD: "1"\n`,
      ),
    },
    {
      title: "another image that may listen",
      resources: remote("podman run -e API_SERVER_HOST=0.0.0.0 docker.io/a/b:v1.0.0"),
    },
    { title: "a pull", resources: remote(`export HERMES_DASHBOARD=1\npodman pull ${IMAGE}`) },
    { title: "a text without any names", resources: file("/srv/x.json", '"0.0.0.0"') },
    {
      title: "a dashboard command on the loopback",
      resources: remote("hermes dashboard --host 127.0.0.1 --port 9119"),
    },
    { title: "a dashboard command without an address", resources: remote("hermes dashboard") },
    {
      title: "another command with an address",
      resources: remote("hermes gateway run --host 0.0.0.0; web dashboard --host 0.0.0.0"),
    },
    {
      title: "a dashboard command with a login",
      resources: remote(`${login(OIDC).replace("\n", " ")} hermes dashboard --host 0.0.0.0`),
    },
    {
      title: "another option of the dashboard",
      resources: remote("hermes dashboard --hosts 0.0.0.0 --my--host 0.0.0.0"),
    },
  ],
  refuses: [
    ...[
      "0.0.0.0",
      "::",
      "0",
      "127.1",
      "localhost.evil",
      "my.localhost",
      "x127.0.0.1",
      "127.0.0.11",
      "127x0.0.1",
      "127.0x0.1",
      "127.0.0x1",
      "127.0.0.1 ",
      "::1 ",
      "192.168.20.51",
      "",
    ].map((host) => ({
      title: `the address ${JSON.stringify(host)}`,
      resources: container({ [HOST]: host }),
    })),
    {
      title: "every address, with the place, the value and the fix",
      resources: container({ [HOST]: "0.0.0.0" }),
      says: [
        `it: environment › ${HOST} is "0.0.0.0", which is not the loopback address, and there is no complete login.`,
        `Set ${HOST} to 127.0.0.1, or give the dashboard a login`,
      ],
    },
    {
      title: "a dashboard whose address is not said",
      resources: container({ HERMES_DASHBOARD: "1" }),
      says: [`it: environment › ${HOST} is not set, and its default differs`],
    },
    {
      title: "a dashboard that may be on, without an address",
      resources: container({ HERMES_DASHBOARD: unknown }),
    },
    { title: "a dashboard that is on by a longer word", resources: container({ HERMES_DASHBOARD: "off1" }) },
    { title: "a dashboard that is on by another word", resources: container({ HERMES_DASHBOARD: "xoff" }) },
    { title: "a secret address", resources: container({ [HOST]: secret("0.0.0.0") }) },
    {
      title: "every address beside an unknown value",
      resources: container({ [HOST]: "0.0.0.0", OTHER: unknown }, { image: unknown }),
    },
    ...Object.keys(BASIC).map((name) => ({
      title: `a login without ${name}`,
      resources: container({ [HOST]: "0.0.0.0", ...BASIC, [name]: undefined }),
    })),
    ...Object.keys(OIDC).map((name) => ({
      title: `a login with an empty ${name}`,
      resources: container({ [HOST]: "0.0.0.0", ...OIDC, [name]: " " }),
    })),
    {
      title: "half of one login and half of another",
      resources: container({
        [HOST]: "0.0.0.0",
        HERMES_DASHBOARD_OIDC_ISSUER: "https://id.lan",
        HERMES_DASHBOARD_BASIC_AUTH_USERNAME: "me",
      }),
    },
    {
      title: "the API's address, login or not",
      resources: container({ API_SERVER_HOST: "0.0.0.0", ...BASIC }),
      says: [
        'environment › API_SERVER_HOST is "0.0.0.0", which is not the loopback address.',
        "Set API_SERVER_HOST to 127.0.0.1.",
      ],
    },
    {
      title: "a command's environment",
      resources: remote("hermes gateway run", { environment: { [HOST]: "0.0.0.0" } }),
    },
    {
      title: "a file of variables",
      resources: env(`export ${HOST}="0.0.0.0"\n`),
      says: [`it: stdin › ${HOST} is "0.0.0.0"`],
    },
    {
      title: "half a login in a file of variables",
      resources: env(`${HOST}=0.0.0.0\nHERMES_DASHBOARD_OIDC_ISSUER=x\n`),
    },
    {
      title: "a login in another file than the address",
      resources: file(
        "/srv/list.yaml",
        `a: { ${HOST}: 0.0.0.0 }\nb: { HERMES_DASHBOARD_OIDC_ISSUER: x, HERMES_DASHBOARD_OIDC_CLIENT_ID: y }\n`,
      ),
    },
    {
      title: "a Quadlet unit, once",
      resources: quadlet(`Image=${IMAGE}`, `Environment=${HOST}=0.0.0.0`),
      times: 1,
    },
    {
      title: "one address in a file and another one on a command line",
      resources: remote(
        `cat > /etc/hermes/hermes.env <<'EOF'\n${HOST}=0.0.0.0\nEOF\npodman run -e ${HOST}=:: ${IMAGE}`,
      ),
      times: 2,
    },
    {
      title: "the API's address in a file and the dashboard's on a command line",
      resources: remote(
        `cat > /etc/hermes/hermes.env <<'EOF'\nAPI_SERVER_HOST=0.0.0.0\nEOF\npodman run -e ${HOST}=0.0.0.0 ${IMAGE}`,
      ),
      times: 2,
    },
    {
      title: "two services of a compose file, each",
      resources: file(
        "/srv/compose.yaml",
        `services:\n  a: { image: ${IMAGE}, environment: { ${HOST}: 0.0.0.0 } }\n  b: { image: ${IMAGE}, environment: { ${HOST}: 0.0.0.0 } }\n`,
      ),
      times: 2,
    },
    {
      title: "a Quadlet unit's second line",
      resources: quadlet(`Environment=A=1 B=2`, `Environment="${HOST}=0.0.0.0"`),
    },
    {
      title: "a Quadlet unit without an address",
      resources: quadlet(`Image=${IMAGE}`, "Environment=HERMES_DASHBOARD=1"),
    },
    {
      title: "a Quadlet drop-in",
      resources: dropIn(`Environment=${HOST}=0.0.0.0`),
      says: [`it: stdin › Environment › ${HOST} is "0.0.0.0"`],
    },
    { title: "a Quadlet drop-in for the API", resources: dropIn("Environment=API_SERVER_HOST=0.0.0.0") },
    {
      title: "a unit whose file beside it says every address",
      resources: both("Environment=HERMES_DASHBOARD=1", `${HOST}=0.0.0.0`),
      says: [`/etc/hermes/hermes.env › ${HOST} is "0.0.0.0"`],
    },
    {
      title: "a unit whose file beside it switches the dashboard on, without an address",
      resources: both("Environment=A=1", "HERMES_DASHBOARD=1"),
      says: [`${HOST} is not set`],
    },
    {
      title: "a unit in the project's own payload",
      resources: part(
        "/etc/containers/systemd/hermes.container",
        `[Container]\nEnvironment=${HOST}=0.0.0.0\n`,
      ),
    },
    {
      title: "a service without a container",
      resources: file(
        "/etc/systemd/system/h.service",
        `[Service]\nEnvironment=${HOST}=0.0.0.0\nExecStart=/usr/bin/hermes gateway run\n`,
      ),
    },
    { title: "podman run", resources: remote(`podman run -e ${HOST}=0.0.0.0 ${IMAGE}`) },
    { title: "docker run in one word", resources: remote(`docker run -e${HOST}=0.0.0.0 ${IMAGE}`) },
    {
      title: "podman run of what a variable names",
      resources: remote(`podman run -e ${HOST} ${IMAGE}`),
      says: [`create › ${HOST} is left to a variable`],
    },
    { title: "a variable of a shell", resources: remote(`export ${HOST}=0.0.0.0\nhermes gateway run`) },
    { title: "a variable of one command", resources: remote(`${HOST}=0.0.0.0 hermes gateway run`) },
    {
      title: "a variable by env that another variable sets",
      resources: remote(`sudo env ${HOST}="$1" hermes gateway run`),
    },
    {
      title: "a NixOS service whose address another module says",
      resources: nix(`systemd.services.hermes.environment.${HOST} = config.x.y;`),
    },
    {
      title: "both addresses",
      resources: container({ [HOST]: "0.0.0.0", API_SERVER_HOST: "0.0.0.0" }),
      says: [`environment › ${HOST} is`, "environment › API_SERVER_HOST is"],
    },
    {
      title: "a container's dashboard command, with its place",
      resources: remote(`podman run ${IMAGE} dashboard --host 0.0.0.0`),
      says: ["it: create is"],
    },
    { title: "a variable by env", resources: remote(`sudo env ${HOST}=0.0.0.0 hermes gateway run`) },
    {
      title: "a variable of a command that another variable sets",
      resources: remote(`${HOST}="$1" hermes gateway run`),
    },
    { title: "a compose file's mapping", resources: compose(`      ${HOST}: 0.0.0.0`) },
    { title: "a compose file's list", resources: compose(`      - ${HOST}=0.0.0.0`) },
    {
      title: "a pod",
      resources: file(
        "/srv/pod.yaml",
        `kind: Pod\nspec:\n  containers:\n    - image: ${IMAGE}\n      env:\n        - { name: ${HOST}, value: 0.0.0.0 }\n`,
      ),
    },
    {
      title: "a ConfigMap",
      resources: file("/srv/map.yaml", `kind: ConfigMap\ndata:\n  ${HOST}: 0.0.0.0\n`),
    },
    {
      title: "a file of cloud-init",
      resources: snippet({ write_files: [{ path: "/etc/hermes/hermes.env", content: `${HOST}=0.0.0.0\n` }] }),
    },
    {
      title: "a NixOS container",
      resources: nix(
        `virtualisation.oci-containers.containers.h = { image = "${IMAGE}"; environment.${HOST} = "0.0.0.0"; };`,
      ),
    },
    ...[
      "hermes dashboard --host 0.0.0.0",
      "/opt/hermes/bin/hermes --profile x dashboard --host=0.0.0.0",
      "hermes dashboard --ho 0.0.0.0",
      "hermes dashboard --hos=0.0.0.0",
      "hermes dashboard --host 127.0.0.1 --host 0.0.0.0",
      'hermes dashboard --host "$ADDRESS"',
      "hermes dashboard --host=",
      "hermes dashboard --host=127.0.0.1.evil",
      "podman exec hermes hermes dashboard --host 0.0.0.0",
      `podman run ${IMAGE} dashboard --host 0.0.0.0`,
    ].map((line) => ({ title: line, resources: remote(line) })),
    {
      title: "a dashboard command, as it was typed",
      resources: remote("hermes dashboard --host 0.0.0.0"),
      says: ['it: create is "hermes dashboard --host 0.0.0.0", which lets the dashboard listen'],
    },
    {
      title: "a component's dashboard command",
      resources: container({}, { command: ["dashboard", "--host", "0.0.0.0"] }),
      says: ['it: command is "hermes dashboard --host 0.0.0.0"'],
    },
    {
      title: "a unit's dashboard command",
      resources: quadlet(`Image=${IMAGE}`, "Exec=dashboard --host 0.0.0.0"),
    },
  ],
};
