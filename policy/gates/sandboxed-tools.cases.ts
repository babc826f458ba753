import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";
import { dropIn, file, nix, part, quadlet, remote, snippet } from "../testing/notations.ts";

const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";
const SOCKET = "/var/run/docker.sock";
const DATA = { source: "/var/lib/hermes", target: "/opt/data", kind: "bind" };

const container = (volume: object = {}, more: object = {}): Case["resources"] => [
  {
    type: "hermes:index:HermesContainer",
    props: {
      image: IMAGE,
      volumes: [DATA, { source: "/srv/x", target: "/x", kind: "bind", ...volume }],
      ...more,
    },
  },
];
const bind = (source: unknown) => container({ source });
const run = (options: string, image = IMAGE) => remote(`podman run ${options} ${image} gateway run`);
const compose = (lines: string) =>
  file("/srv/compose.yaml", `services:\n  hermes:\n    image: ${IMAGE}\n${lines}\n`);
const kube = (container: string, pod = "") =>
  file("/srv/pod.yaml", `kind: Pod\nspec:\n${pod}  containers:\n    - image: ${IMAGE}\n      ${container}\n`);
const config = (text: string) => file("/var/lib/hermes/config.yaml", `terminal:\n  ${text}\n`);

/** A container and a file with its variables, in one payload. */
const besides = (variables: string, image = IMAGE, name = "/etc/hermes.env"): Case["resources"] =>
  remote("hermes-guest stage container", {
    stdin: JSON.stringify({
      files: [
        { path: "/etc/containers/systemd/x.container", content: ["[Container]", `Image=${image}`] },
        { path: name, content: variables.split("\n") },
      ],
    }),
  });

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    {
      title: "a rootless engine in a file of variables beside the container",
      resources: besides("DOCKER_HOST=unix:///run/user/1/podman/podman.sock\nADDRESS=tcp://127.0.0.1:2375"),
    },
    {
      title: "an engine in a file of variables beside another container",
      resources: besides("DOCKER_HOST=tcp://127.0.0.1:2375", "docker.io/library/caddy:v2.8.4"),
    },
    {
      title: "an engine among another program's settings, or none",
      resources: besides(
        "DOCKER_HOST: 5\nx: { DOCKER_HOST: 'tcp://a' }\nDOCKER_HOST.x: 'tcp://a'",
        IMAGE,
        "/etc/x.yaml",
      ),
    },
    {
      title: "the engine that a shell starts the container with",
      resources: remote(`export DOCKER_HOST=tcp://10.0.0.2:2376\ndocker run ${IMAGE}`),
    },
    ...[
      "/run/user/10000/podman/podman.sock",
      "/run/user/10000",
      "/run/podman2",
      "/run/docker.sock2",
      "/srv/run/docker.sock",
      "/proc/1/root/srv",
      "/proc/meminfo",
      "/etc/localtime",
      "/etc/timezone",
      "/etc/hermes/config",
      "/root/.hermes",
      "/root/data",
      "/srv/etc",
      "/var/lib/dockerx",
      "/usrx",
      "/libvirt/x",
      "/procx/1/root/run/docker.sock",
      "/srv/proc/1/root/run/docker.sock",
      "/proc/me/root/run/docker.sock",
      "/run/proc/1/root/docker.sock",
    ].map((source) => ({ title: `a bind of ${source}`, resources: bind(source) })),
    ...["/etc", "/root/.ssh", "/usr/share/zoneinfo"].map((source) => ({
      title: `a bind of ${source} that is read-only`,
      resources: container({ source, readOnly: true }),
    })),
    {
      title: "a folder beside that is named like root's",
      resources: compose("    volumes: ['./etc:/x', '../boot:/y']"),
    },
    {
      title: "a volume that stands for a folder of Hermes",
      resources: remote(
        `podman volume create --opt o=bind --opt type=none --opt device=/srv/x v\npodman volume create --opt o=bind --opt type=none --opt device=/run w\npodman run -v v:/x ${IMAGE}`,
      ),
    },
    { title: "a volume's other options", resources: run("-v v:/x:mydevice=/run,volume-opt=o=device=/run") },
    { title: "a source that is not known yet", resources: bind(unknown) },
    { title: "volumes that are not known yet", resources: container({}, { volumes: unknown }) },
    { title: "memory, whatever its source", resources: container({ kind: "tmpfs", source: "/" }) },
    {
      title: "a volume without a name, whatever its source",
      resources: container({ kind: "anonymous", source: "/" }),
    },
    {
      title: "a socket's name in prose and in a comment",
      resources: remote(`# -v ${SOCKET}:/x\necho "no ${SOCKET}"`),
    },
    {
      title: "another image with the socket",
      resources: run(`-v ${SOCKET}:/x`, "docker.io/library/caddy:v2.8.4"),
    },
    { title: "a pull", resources: remote(`podman pull ${IMAGE}`) },
    {
      title: "folders beside a compose file",
      resources: compose("    volumes: ['./:/x', '../run:/y', './docker.sock:/z']"),
    },
    { title: "a volume that is named like a folder", resources: run("-v run:/x -v docker.sock:/y") },
    ...[
      "unix:///run/user/10000/podman/podman.sock",
      "ssh://me@10.0.0.2/run/user/1000/podman/podman.sock",
      "unix://docker.sock",
      "unix:///run/user/10000/docker.sock",
      "",
    ].map((address) => ({
      title: `the engine ${JSON.stringify(address)}`,
      resources: container({}, { environment: { DOCKER_HOST: address } }),
    })),
    {
      title: "an engine that is not known yet",
      resources: container({}, { environment: { DOCKER_HOST: unknown } }),
    },
    ...[
      "--privileged=false",
      "--cap-add=CHOWN",
      "--cap-add=NOT_ALL --cap-add=ALLOW",
      "--cap-drop=ALL",
      "--security-opt=no-new-privileges",
      "--pid=private",
      "--device=/dev/dri",
      "--device=/dev/snd",
      "--device=/dev/dri/renderD128:/dev/dri/renderD128",
      "--device=/dev/net/tun",
      "--device=/dev/bus/usb/001/002",
      "--device=/dev/video10",
      "--device=/dev/ttyUSB10",
      "--device=/dev/ttyACM0",
      "--device=/dev/nvidia0",
      "--device=/dev/nvidia-uvm",
      "--device=/dev/kfd",
      "--device=/dev/kvm",
      "--device=/dev/null",
      "--device=/dev/zero",
      "--device=/dev/full",
      "--device=/dev/random",
      "--device=/dev/urandom",
      "--device=nvidia.com/gpu=all",
      "--device=/dev/fuse:/dev/sda",
      "--device-cgroup-rule='c 10:200 rwm'",
      "--userns=auto",
      "--ipc=host",
      "--read-only",
    ].map((options) => ({ title: options, resources: run(options) })),
    {
      title: "a Quadlet unit with small rights",
      resources: quadlet(`Image=${IMAGE}`, "AddCapability=CHOWN", "UserNS=keep-id"),
    },
    {
      title: "a compose file without rights",
      resources: compose("    privileged: false\n    pid: service:host\n    cap_add: [CHOWN]"),
    },
    {
      title: "a sandbox without a network",
      resources: config(
        'docker_extra_args: ["--network=none", "--privileged=0", "--privileged=F", "--privileged=false", "x--privileged"]',
      ),
    },
    {
      title: "a sandbox with a folder",
      resources: config(
        'docker_volumes: ["/srv/work:/run/docker.sock", 5, "/etc:/x:ro", "/usr:/y:rslave,ro,z"]',
      ),
    },
    {
      title: "a sandbox's options as one text",
      resources: config(
        'docker_extra_args: "--cap-add  CHOWN --device /dev/fuse --cap-add=KILL --privileged=false x"',
      ),
    },
    {
      title: "a sandbox's options as a text that is a list",
      resources: config(`docker_extra_args: '["--cap-add", "CHOWN","--rm"]'`),
    },
    ...[
      "terminal:\n  docker_extra_args_x: --privileged",
      "xterminal:\n  docker_extra_args: --privileged",
    ].map((text) => ({
      title: `another setting, ${JSON.stringify(text)}`,
      resources: file("/srv/x.yaml", text),
    })),
    ...[
      "hermes config set terminal.docker_extra_args '[\"--rm\"]'",
      "hermes config set terminal.docker_extra_args",
      'hermes config set "$KEY" --privileged',
      "hermes config get terminal.docker_extra_args --privileged",
      "hermes x set terminal.docker_extra_args --privileged",
      "echo config set terminal.docker_extra_args --privileged",
    ].map((line) => ({ title: line, resources: remote(line) })),
    {
      title: "another program's settings",
      resources: file(
        "/srv/x.yaml",
        `x:
  docker_volumes: ["${SOCKET}:/x"]
  docker_extra_args: ["--privileged"]
`,
      ),
    },
    {
      title: "other settings of a terminal",
      resources: config(`docker_env: ["--privileged", "${SOCKET}:/x"]`),
    },
  ],
  refuses: [
    {
      title: "an engine's address beside Hermes and another service",
      resources: file(
        "/srv/compose.yaml",
        `services:\n  web: { image: "docker.io/library/caddy:v2.8.4" }\n  a: { image: "${IMAGE}" }\nDOCKER_HOST: tcp://127.0.0.1:2375\n`,
      ),
    },
    {
      title: "an engine in a file of variables beside the container",
      resources: besides("A=1\nCONTAINER_HOST=tcp://127.0.0.1:2375"),
      says: [
        '/etc/hermes.env › CONTAINER_HOST is "tcp://127.0.0.1:2375", which is an engine that runs as root.',
      ],
    },
    ...[
      SOCKET,
      "/run/docker.sock",
      "//run/./x/../docker.sock/",
      "/run/podman/podman.sock",
      "/run/podman",
      "/run/containerd/containerd.sock",
      "/run/crio/crio.sock",
      "/run",
      "/var/run",
      "/",
      "/proc/1/root/run/docker.sock",
      "/proc/self/root/run",
      "/proc/123/root",
      "/proc",
      "/proc/1",
      "/proc/1/cwd/run/docker.sock",
      "/proc/thread-self/root/run/docker.sock",
      "/proc/1/task/12/root/run/docker.sock",
      "/proc/1/root/proc/1/root/run/docker.sock",
      "/run/user",
      "/run/user/0/podman/podman.sock",
      "/run/user/0/docker.sock",
      "/run/k3s/containerd/containerd.sock",
      "/run/buildkit/buildkitd.sock",
      "/etc",
      "/etc/systemd/system",
      "/etc/localtime.d",
      "/etc/x/hermes",
      "/root",
      "/root/.ssh",
      "/boot",
      "/boot/efi",
      "/usr",
      "/usr/local/bin",
      "/bin/sh",
      "/sbin",
      "/lib",
      "/lib64",
      "/var",
      "/var/lib",
      "/var/lib/docker",
      "/var/lib/containers/storage",
      "/proc/1/root/etc/cron.d",
    ].map((source) => ({ title: `a bind of ${source}`, resources: bind(source) })),
    {
      title: "a socket, with the place, the value and the fix",
      resources: bind(SOCKET),
      says: [
        `it: volumes.1 is "${SOCKET}", which is the socket of an engine that runs as root.`,
        "rootless engine",
      ],
    },
    {
      title: "what root obeys, with the reason",
      resources: bind("/etc/cron.d"),
      says: ['it: volumes.1 is "/etc/cron.d", which holds what root runs or obeys, and is writable.'],
    },
    ...[
      remote(
        `podman volume create --opt o=bind --opt type=none --opt device=/run v\npodman run -v v:/x ${IMAGE}`,
      ),
      file(
        "/srv/compose.yaml",
        `services:\n  hermes:\n    image: ${IMAGE}\n    volumes: ['v:/x']\nvolumes:\n  v: { driver_opts: { type: none, o: bind, device: /run } }\n`,
      ),
      remote("hermes-guest stage container", {
        stdin: JSON.stringify({
          files: [
            {
              path: "/etc/containers/systemd/v.volume",
              content: ["[Volume]", "Type=none", "Options=bind", "Device=/run"],
            },
            {
              path: "/etc/containers/systemd/x.container",
              content: ["[Container]", `Image=${IMAGE}`, "Volume=v.volume:/x"],
            },
          ],
        }),
      }),
      run("--mount type=volume,source=v,destination=/x,volume-opt=device=/run"),
    ].map((resources, index) => ({
      title: `a volume that stands for a folder with the socket, in notation ${index + 1}`,
      resources,
      says: ['"/run", which holds the socket'],
    })),
    {
      title: "a folder that holds a socket",
      resources: bind("/run/podman"),
      says: [
        'is "/run/podman", which holds the socket of an engine that runs as root (/run/podman/podman.sock)',
      ],
    },
    { title: "a secret source", resources: bind(secret(SOCKET)) },
    {
      title: "a socket beside an unknown value",
      resources: container({ source: SOCKET }, { environment: unknown, image: unknown }),
    },
    { title: "a read-only socket", resources: container({ source: SOCKET, readOnly: true }) },
    { title: "a kind that is not known yet", resources: container({ source: SOCKET, kind: unknown }) },
    {
      title: "a privileged component",
      resources: container({}, { privileged: true }),
      says: ["it: privileged removes the container's isolation"],
    },
    ...["DOCKER_HOST", "CONTAINER_HOST"].flatMap((name) =>
      [
        "unix:///run/docker.sock",
        "unix:///var/run/podman/podman.sock",
        "tcp://127.0.0.1:2375",
        "http://engine.lan",
        "https://engine.lan",
        "ssh://root@10.0.0.2",
        "ssh://me@10.0.0.2/run/user/0/podman/podman.sock",
        "tcp://10.0.0.2/run/user/1",
        "xssh://a/run/user/1",
        "xunix:///run/user/10000/docker.sock",
        "127.0.0.1:2375",
        "unix:///run/user/0/podman/podman.sock",
        "unix:/run/docker.sock",
        "unix://run/podman/podman.sock",
      ].map((address) => ({
        title: `${name}=${address}`,
        resources: container({}, { environment: { [name]: address } }),
      })),
    ),
    {
      title: "an engine's address, with its place",
      resources: run("-e DOCKER_HOST=tcp://127.0.0.1:2375"),
      says: [
        'it: create › environment › DOCKER_HOST is "tcp://127.0.0.1:2375", which is an engine that runs as root.',
      ],
    },
    ...[
      `-v ${SOCKET}:${SOCKET}`,
      `-v${SOCKET}:/x:ro`,
      `--mount type=bind,src=${SOCKET},dst=/x`,
      "-v ../../../run/docker.sock:/x",
      "--privileged",
      "--privileged=true",
      "--privileged=1",
      "--cap-add=ALL",
      "--cap-add all",
      "--cap-add=CHOWN,SYS_ADMIN",
      "--cap-add=CAP_SYS_ADMIN",
      "--cap-add=SYS_MODULE",
      "--cap-add=SYS_PTRACE",
      "--cap-add=SYS_RAWIO",
      "--cap-add=SYS_BOOT",
      "--cap-add=DAC_READ_SEARCH",
      "--cap-add=BPF",
      "--cap-add=NET_ADMIN",
      '--cap-add "$CAPABILITY"',
      "--pid=host",
      "--pid=ns:/proc/1/ns/pid",
      "--userns=host",
      "--cap-add=SYS_ADMIN,CHOWN",
      "--device=/dev/mapper",
      "--device=/dev/sda",
      "--device=/dev/sda1/x",
      "--device=/srv/dev/sda",
      "--device=/srv/dev/fuse",
      "--device=/dev/mapperx",
      "--device=/dev/pve/vm-100-disk-0",
      "--device=/dev/zvol/tank/x",
      "--device=/dev/nbd0",
      "--device=/dev/rbd0",
      "--device=/dev/dri/../sda",
      "--device=/dev/fusex",
      "--device=/dev/video",
      "--device=/dev/ttyUSB",
      "--device=/dev/sda:/dev/x",
      "--device=/dev",
      "--device=/dev/mem",
      "--device=/dev/kmem",
      "--device=/dev/port",
      "--device=/dev/vdb1",
      "--device=/dev/hda",
      "--device=/dev/xvda",
      "--device=/dev/nvme0n1",
      "--device=/dev/mmcblk0",
      "--device=/dev/dm-0",
      "--device=/dev/md0",
      "--device=/dev/loop0",
      "--device=/dev/sg0",
      "--device=/dev/mapper/x",
      "--device=/dev/disk/by-id/hermes-data",
      '--device "$DEVICE"',
      "--device-cgroup-rule='b 8:0 rwm'",
      "--device-cgroup-rule='a *:* rwm'",
      "--device-cgroup-rule='c 1:1 r'",
      "--security-opt=seccomp=unconfined",
      "--security-opt apparmor=unconfined",
      "--security-opt=label=disable",
      "--security-opt=label=type:spc_t",
      "--security-opt=unmask=ALL",
    ].map((options) => ({ title: `podman run ${options}`, resources: run(options) })),
    { title: "docker with its own socket", resources: remote(`docker run --use-api-socket ${IMAGE}`) },
    {
      title: "an option, as it was written",
      resources: run("--cap-add=SYS_ADMIN"),
      says: ["it: create › --cap-add=SYS_ADMIN removes the container's isolation."],
    },
    { title: "an image that a variable names", resources: remote(`podman run --privileged "$IMAGE"`) },
    ...[
      `Volume=${SOCKET}:/x`,
      "Volume=%t/podman/podman.sock:/var/run/docker.sock",
      "Mount=type=bind,source=/run,destination=/x",
      "AddCapability=SYS_ADMIN",
      "AddCapability=CAP_CHOWN ALL",
      "AddDevice=/dev/sda",
      "AddDevice=-/dev/nbd0",
      "UserNS=host",
      "SecurityLabelDisable=true",
      "SecurityLabelType=spc_t",
      "SeccompProfile=unconfined",
      "AppArmor=unconfined",
      "Unmask=ALL",
      "PodmanArgs=--privileged",
      "Environment=DOCKER_HOST=tcp://127.0.0.1:2375",
    ].flatMap((line) => [
      { title: `a Quadlet unit with ${line}`, resources: quadlet(`Image=${IMAGE}`, line) },
      { title: `a Quadlet drop-in with ${line}`, resources: dropIn(line) },
    ]),
    { title: "a pod", resources: remote("podman pod create --pid=host hermes") },
    {
      title: "a unit in the project's own payload",
      resources: part("/etc/containers/systemd/hermes.container", `[Container]\nVolume=${SOCKET}:/x\n`),
    },
    ...[
      `    volumes: ['${SOCKET}:/x']`,
      `    volumes: [{ type: bind, source: ${SOCKET}, target: /x }]`,
      "    privileged: true",
      "    pid: host",
      "    userns_mode: host",
      "    cap_add: [SYS_ADMIN]",
      "    devices: ['/dev/sda:/dev/x']",
      "    security_opt: ['seccomp:unconfined']",
      "    environment: { DOCKER_HOST: 'tcp://x:2375' }",
    ].map((lines) => ({ title: `a compose file with ${lines.trim()}`, resources: compose(lines) })),
    { title: "a privileged container of a pod", resources: kube("securityContext: { privileged: true }") },
    {
      title: "a capability of a pod",
      resources: kube("securityContext: { capabilities: { add: [SYS_ADMIN] } }"),
    },
    { title: "a pod that sees the machine's processes", resources: kube("name: x", "  hostPID: true\n") },
    {
      title: "a pod's hostPath",
      resources: kube(
        "volumeMounts: [{ name: s, mountPath: /x }]",
        `  volumes: [{ name: s, hostPath: { path: ${SOCKET} } }]\n`,
      ),
    },
    {
      title: "a command of cloud-init",
      resources: snippet({ runcmd: [["podman", "run", "--privileged", IMAGE]] }),
    },
    ...[
      `volumes = [ "${SOCKET}:/x" ];`,
      'extraOptions = [ "--privileged" ];',
      "privileged = true;",
      "capabilities.SYS_ADMIN = true;",
    ].map((body) => ({
      title: `a NixOS container with ${body}`,
      resources: nix(`virtualisation.oci-containers.containers.h = { image = "${IMAGE}"; ${body} };`),
    })),
    {
      title: "a switch that is not quite off",
      resources: config('docker_extra_args: ["--privileged=falsey"]'),
    },
    {
      title: "a sandbox with all rights, deeper in",
      resources: file("/srv/x.yaml", 'a:\n  terminal:\n    docker_extra_args: ["--privileged"]\n'),
    },
    {
      title: "a sandbox with all rights",
      resources: config('docker_extra_args: ["--network=none", "--privileged"]'),
      says: ["which removes the sandbox's isolation"],
    },
    ...[
      '"--rm --privileged"',
      '"--cap-add CHOWN --cap-add SYS_ADMIN --rm"',
      '"--cap-add=CHOWN --security-opt seccomp=unconfined"',
      '"--rm --device"',
      '"--cap-add --rm"',
      '["--cap-add"]',
      '\'["--cap-add", "--rm"]\'',
      '\'["--rm","--privileged","--init"]\'',
      '["--cap-add=CHOWN,SYS_ADMIN"]',
    ].map((value) => ({
      title: `a sandbox with the options ${value}`,
      resources: config(`docker_extra_args: ${value}`),
    })),
    ...[
      "hermes config set terminal.docker_extra_args '[\"--privileged\"]'",
      'hermes config set terminal.docker_volumes \'["/srv:/x", "/run/docker.sock:/y"]\'',
    ].map((line) => ({ title: line, resources: remote(line), says: [`it: create › ${line.slice(0, 20)}`] })),
    ...["/etc:/x", "/etc:/x:rw", "/etc:/x:rox", "/etc:/x:xro"].map((volume) => ({
      title: `a sandbox with the volume ${volume}`,
      resources: config(`docker_volumes: ["${volume}"]`),
    })),
    {
      title: "a sandbox with the socket",
      resources: config(`docker_volumes: ["${SOCKET}:/x"]`),
      says: [`is "${SOCKET}:/x", which is the socket`],
    },
  ],
};
