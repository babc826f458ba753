import { type Case, type CaseResource, type GateCases, secret, unknown } from "../testing/cases.ts";
import { dropIn, file, nix, part, quadlet, remote, snippet } from "../testing/notations.ts";

const IMAGE = "docker.io/nousresearch/hermes-agent:v2026.7.20";
const HOME = "/var/lib/hermes";
const BIND = { source: HOME, target: "/opt/data", kind: "bind" };
const GOOD = `${HOME}:/opt/data`;

const component = (volumes: unknown): CaseResource => ({
  type: "hermes:index:HermesContainer",
  name: "container",
  props: { image: IMAGE, volumes },
});
const container = (...volumes: unknown[]): Case["resources"] => [component(volumes)];
const guest = (disks: unknown, name = "guest"): CaseResource => ({
  type: "hermes:index:HermesGuest",
  name,
  props: { disks },
});
const disk = (mountPoint: unknown, persistent: unknown = true) => ({
  name: "d",
  mountPoint,
  persistent,
  sizeMiB: 1,
});
const run = (options: string, rest = "gateway run") => remote(`podman run -d ${options} ${IMAGE} ${rest}`);
const compose = (lines: string) =>
  file("/srv/compose.yaml", `services:\n  hermes:\n    image: ${IMAGE}\n${lines}\n`);
const kube = (volume: string) =>
  file(
    "/srv/pod.yaml",
    `kind: Pod\nspec:\n  volumes: [{ name: data, ${volume} }]\n  containers:\n    - image: ${IMAGE}\n      volumeMounts: [{ name: data, mountPath: /opt/data }]\n`,
  );
const nixContainer = (volume: string) =>
  nix(`virtualisation.oci-containers.containers.h = { image = "${IMAGE}"; volumes = [ ${volume} ]; };`);
const share = (mountPoint: string, more = 'proto = "virtiofs";') =>
  nix(`microvm.shares = [ { tag = "h"; source = "/srv/h"; mountPoint = "${mountPoint}"; ${more} } ];`);
const fstab = (line: string) => file("/etc/fstab", `${line}\n`);
const named = (resources: Case["resources"], name: string): CaseResource => ({ ...resources[0], name });
const PAIR = "x:y:Deployment";
const pair = (name: string): CaseResource => ({ type: PAIR, name, props: {} });
const within = (name: string, resource: CaseResource): CaseResource => ({
  ...resource,
  parent: [PAIR, name],
});
/** The unit that starts Hermes on another folder, and something else. */
const beside = (source: string, other: Case["resources"]): Case["resources"] => [
  named(quadlet(`Image=${IMAGE}`, `Volume=${source}:/opt/data`), "unit"),
  named(other, "other"),
];

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    {
      title: "a unit with its drop-in",
      resources: remote("hermes-guest stage container", {
        stdin: JSON.stringify({
          files: [
            { path: "/etc/containers/systemd/h.container", content: ["[Container]", `Volume=${GOOD}`] },
            {
              path: "/etc/containers/systemd/h.container.d/a.conf",
              content: ["[Container]", "Environment=HERMES_A=1"],
            },
          ],
        }),
      }),
    },
    { title: "a bind", resources: container(BIND) },
    { title: "volumes that are not known yet", resources: [component(unknown)] },
    { title: "one volume that is not known yet", resources: container(unknown) },
    {
      title: "a kind that is not known yet, without a source",
      resources: container({ ...BIND, source: undefined, kind: unknown }),
    },
    ...[
      [HOME, "%S/hermes"],
      ["/root/data", "%h/data"],
    ].map(([mountPoint, source]) => ({
      title: `a Quadlet unit with ${source} on the guest's disk`,
      resources: [
        guest([disk(mountPoint)]),
        named(quadlet(`Image=${IMAGE}`, `Volume=${source}:/opt/data`), "unit"),
      ] as Case["resources"],
    })),
    { title: "a source that is not known yet", resources: container({ ...BIND, source: unknown }) },
    { title: "a kind that is not known yet", resources: container({ ...BIND, kind: unknown }) },
    { title: "a target that is not known yet", resources: container({ ...BIND, target: unknown }) },
    ...["/opt/data/", "/opt/../opt/data", "//opt/./data"].map((target) => ({
      title: `the target ${target}`,
      resources: container({ ...BIND, target }),
    })),
    ...["cache", ".cache/pip", "caches", "logs", "sandboxes/a", "tmp/"].map((folder) => ({
      title: `memory at ${folder}, which may be lost`,
      resources: container(BIND, { target: `/opt/data/${folder}`, kind: "tmpfs" }),
    })),
    {
      title: "memory at a folder that was said to be disposable",
      resources: container(BIND, { target: "/opt/data/x", kind: "tmpfs" }),
      settings: { disposable: ["x"] },
    },
    { title: "memory beside the data", resources: container(BIND, { target: "/opt/data2", kind: "tmpfs" }) },
    {
      title: "a read-only file below the data",
      resources: container(BIND, {
        source: "/run/soul.md",
        target: "/opt/data/SOUL.md",
        kind: "bind",
        readOnly: true,
      }),
    },
    { title: "another image without data", resources: remote("podman run docker.io/library/caddy:v2.8.4") },
    {
      title: "another image beside a folder of like name",
      resources: remote("podman run --tmpfs /opt/data2 docker.io/library/caddy:v2.8.4"),
    },
    { title: "a pull", resources: remote(`podman pull ${IMAGE}`) },
    ...[
      "version",
      "--version",
      "help",
      "--help",
      "-h",
      "-V",
      "hermes --version",
      "/opt/hermes/bin/hermes version",
      "cat /etc/os-release",
      "/bin/ls /opt",
      "id hermes",
    ].map((word) => ({
      title: `podman run for ${word}`,
      resources: run("--rm", word),
    })),
    { title: "another entry point", resources: run("--rm --entrypoint cat", "/etc/os-release") },
    { title: "podman run", resources: run(`-v ${GOOD}:rw,Z --network host`) },
    {
      title: "podman run with another folder that a variable names",
      resources: run(`-v ${GOOD} -v "$MORE"`),
    },
    { title: "an image that a variable names", resources: remote('podman run "$IMAGE"') },
    {
      title: "the data in prose",
      resources: remote("# podman run --tmpfs /opt/data\necho 'no tmpfs at /opt/data'"),
    },
    { title: "a Quadlet unit", resources: quadlet(`Image=${IMAGE}`, `Volume=${GOOD}`) },
    {
      title: "a Quadlet unit with systemd's folder",
      resources: quadlet(`Image=${IMAGE}`, "Volume=%S/hermes:/opt/data"),
    },
    {
      title: "a Quadlet drop-in that says nothing of data",
      resources: dropIn("Environment=HERMES_DASHBOARD=0"),
    },
    { title: "a compose file", resources: compose(`    volumes: ['${GOOD}']\n    tmpfs: /opt/data/cache`) },
    { title: "a pod with a hostPath", resources: kube(`hostPath: { path: ${HOME} }`) },
    { title: "a NixOS container", resources: nixContainer(`"${GOOD}"`) },
    ...["/var/lib/containers2/x", "/tmpx", "/srv/run", "/runner", "/home/me/.local/share/containersx"].map(
      (source) => ({
        title: `a bind of ${source}`,
        resources: container({ ...BIND, source }),
      }),
    ),
    {
      title: "a local file system by a mount unit",
      resources: file(
        "/etc/systemd/system/var-lib-hermes.mount",
        `[Mount]\nWhat=/dev/disk/by-id/d\nWhere=${HOME}\nType=ext4\n`,
      ),
    },
    ...[
      `UUID=1 ${HOME} xfs defaults 0 2`,
      "srv:/x /var/lib/hermes2 nfs defaults 0 0",
      "srv:/x /srv/hermes nfs defaults 0 0",
      `srv:/x ${HOME}/cache nfs defaults 0 0`,
      `/dev/vdb ${HOME} ext4 defaults 0 0`,
      `/dev/vdb ${HOME} auto defaults 0 0`,
      `# srv:/x ${HOME} nfs defaults 0 0`,
      `/srv/disk ${HOME} none bind 0 0`,
      `/tmp/disk ${HOME} ext4 loop 0 0`,
      `/dev/vdb ${HOME} myfuse 0 0`,
      `/dev/vdb ${HOME} nfsx 0 0`,
    ].map((line) => ({ title: `in fstab: ${line}`, resources: fstab(line) })),
    {
      title: "a network file system above a nearer disk",
      resources: fstab(`srv:/x /var/lib nfs defaults 0 0\nUUID=1 ${HOME} ext4 defaults 0 0`),
    },
    {
      title: "memory as the root, and the data on a disk of the guest",
      resources: [
        guest([disk(HOME)]),
        named(nix('fileSystems."/" = { device = "tmpfs"; fsType = "tmpfs"; };'), "nix"),
      ],
    },
    { title: "a share beside the data", resources: share("/nix/store") },
    {
      title: "a volume of a microvm",
      resources: nix(`microvm.volumes = [ { image = "hermes.img"; mountPoint = "${HOME}"; size = 1; } ];`),
    },
    { title: "a type that only a variable names", resources: remote(`mount -t "$TYPE" /dev/vdb ${HOME}`) },
    {
      title: "a network volume of another container",
      resources: beside("/data", remote("podman volume create --opt type=nfs --opt device=srv:/x data")),
    },
    {
      title: "a network file system beside another container's folder",
      resources: [
        named(remote("podman run -v /srv/www:/www docker.io/a/b:v1.0.0"), "web"),
        named(fstab("srv:/x /srv/www nfs defaults 0 0"), "fstab"),
      ],
    },
    {
      title: "a guest with a disk for the data",
      resources: [guest([disk("/", false), disk(HOME)]), component([BIND])],
    },
    { title: "a guest after its container", resources: [component([BIND]), guest([disk(HOME)])] },
    {
      title: "a guest with a disk above the data",
      resources: [guest([disk("/srv")]), component([{ ...BIND, source: "/srv/hermes" }])],
    },
    {
      title: "a guest whose shared folder has a nearer disk",
      resources: [guest([disk("/var/lib"), disk(HOME), disk("/var", false)]), component([BIND])],
    },
    {
      title: "a folder below the data that another module names",
      resources: nixContainer(`"${GOOD}" "\${config.x.y}:/opt/data/workspace"`),
    },
    {
      title: "a folder that variables name on both sides",
      resources: compose(`    volumes: ['${GOOD}', { type: bind, source: '\${A}', target: '\${B}' }]`),
    },
    {
      title: "a guest and a source that is not known yet",
      resources: [guest([disk("/srv")]), component([{ ...BIND, source: unknown }])],
    },
    {
      title: "a network file system at a path as long as the data's",
      resources: fstab(`UUID=1 ${HOME} ext4 defaults 0 0\nsrv:/x /srv/www/static nfs defaults 0 0`),
    },
    { title: "a bind that says no folder", resources: nix(`fileSystems."${HOME}".fsType = "none";`) },
    { title: "a bind of what a variable names", resources: remote(`mount --bind "$DISK" ${HOME}`) },
    {
      title: "two guests, each in a component with its container",
      resources: [
        pair("first"),
        within("first", component([{ ...BIND, source: "/srv/x" }])),
        within("first", guest([disk("/srv")], "a")),
        pair("second"),
        within("second", { ...component([BIND]), name: "other" }),
        within("second", guest([disk(HOME)], "b")),
      ],
    },
    {
      title: "a network file system beside the data, before the container",
      resources: [named(fstab("srv:/x /srv/www nfs defaults 0 0"), "fstab"), component([BIND])],
    },
    {
      title: "a guest after a unit of another one",
      resources: [
        guest([disk("/srv")], "a"),
        {
          ...named(quadlet(`Image=${IMAGE}`, "Volume=/srv/x:/opt/data"), "unit"),
          parent: ["hermes:index:HermesGuest", "a"],
        },
        guest([disk(HOME)], "b"),
      ],
    },
    {
      title: "a unit on a disk of its own guest, beside another guest",
      resources: [
        guest([disk("/srv")], "a"),
        guest([disk(HOME)], "b"),
        {
          ...named(quadlet(`Image=${IMAGE}`, "Volume=/srv/x:/opt/data"), "unit"),
          parent: ["hermes:index:HermesGuest", "a"],
        },
      ],
    },
    {
      title: "a guest with a disk that is nothing",
      resources: [guest([null, disk(HOME)]), component([BIND])],
    },
    { title: "a guest alone in a component", resources: [pair("first"), within("first", guest([]))] },
    { title: "a guest with a container without a bind", resources: [component(unknown), guest([])] },
    { title: "a guest whose disks are not known yet", resources: [guest(unknown), component([BIND])] },
    {
      title: "a guest with a disk that is not known yet",
      resources: [guest([disk("/"), unknown]), component([BIND])],
    },
    {
      title: "a guest with a mount point that is not known yet",
      resources: [guest([disk(unknown)]), component([BIND])],
    },
    {
      title: "a guest with a disk that may be persistent",
      resources: [guest([disk(HOME, unknown)]), component([BIND])],
    },
    {
      title: "a guest and a container of something else",
      resources: [
        guest([disk(HOME)]),
        named(remote("podman run -v /srv/www:/www docker.io/a/b:v1.0.0"), "web"),
      ],
    },
  ],
  refuses: [
    {
      title: "a Quadlet unit that takes its image from another unit, without a volume",
      resources: quadlet("Image=hermes.image", "Environment=HERMES_DASHBOARD=0"),
      says: ["/opt/data is not mounted"],
    },
    {
      title: "no volumes beside an image that is not known yet",
      resources: [{ type: "hermes:index:HermesContainer", props: { image: unknown, volumes: [] } }],
    },
    {
      title: "a network file system beside a local one at a longer path",
      resources: fstab("srv:/x /var/lib nfs defaults 0 0\nUUID=1 /srv/www/static/files ext4 defaults 0 0"),
    },
    {
      title: "memory by an extra option of a NixOS container",
      resources: nix(
        `virtualisation.oci-containers.containers.h = { image = "${IMAGE}"; extraOptions = [ "--tmpfs=/opt/data" ]; };`,
      ),
      says: ['containers.h › /opt/data is "/opt/data:tmpfs", which is memory'],
    },
    {
      title: "no volumes",
      resources: container(),
      says: ["container: /opt/data is not mounted. Bind the mount point"],
    },
    { title: "no volumes at all", resources: [component(undefined)] },
    {
      title: "a part of the data alone",
      resources: container({ ...BIND, target: "/opt/data/sessions" }),
      says: ["/opt/data is mounted in part"],
    },
    { title: "the folder above alone", resources: container({ ...BIND, target: "/opt" }) },
    { title: "a folder of like name alone", resources: container({ ...BIND, target: "/opt/data2" }) },
    {
      title: "memory, with the place, the value and the fix",
      resources: container({ target: "/opt/data", kind: "tmpfs" }),
      says: [
        'container: volumes.0 is "/opt/data:tmpfs", which is memory and is lost',
        "Bind the mount point of a persistent disk",
      ],
    },
    ...[
      [{ kind: "tmpfs", source: undefined, target: "/opt/data/" }, "is memory"],
      [{ kind: "tmpfs", target: "/opt/../opt/data" }, "is memory"],
      [{ kind: "anonymous", source: undefined }, "is a volume without a name"],
      [{ kind: "volume", source: "data" }, "is no bind of a folder that lasts"],
      [{ readOnly: true }, `is "${GOOD}", which is read-only`],
      [{ source: "hermes" }, "binds no absolute path"],
      [{ source: undefined }, "binds no absolute path"],
      [{ source: "./hermes" }, "binds no absolute path"],
      [{ source: "" }, "binds no absolute path"],
    ].map(([more, says]) => ({
      title: `a bind with ${JSON.stringify(more)}`,
      resources: container({ ...BIND, ...(more as object) }),
      says: [String(says)],
    })),
    ...[
      "/",
      "/tmp/hermes",
      "/var/tmp",
      "/run/hermes",
      "/var/run/hermes",
      "/dev/shm/hermes",
      "/proc/x",
      "/sys/x",
      "/var/cache/hermes",
      "/var/lib/containers/storage/volumes/x/_data",
      "/var/lib/docker",
      "/var/lib/hermes/../containers",
      "/root/.local/share/containers",
      "/home/me/.local/share/docker/x",
    ].map((source) => ({
      title: `a bind of ${source}`,
      resources: container({ ...BIND, source }),
      says: ["lies where nothing lasts"],
    })),
    { title: "a secret source", resources: container({ ...BIND, source: secret("/tmp/x") }) },
    {
      title: "memory beside an unknown volume",
      resources: container(unknown, { target: "/opt/data", kind: "tmpfs" }),
    },
    {
      title: "memory beside a good bind",
      resources: container(BIND, { target: "/opt/data", kind: "tmpfs" }),
    },
    {
      title: "memory at a folder that must last",
      resources: container(BIND, { target: "/opt/data/sessions", kind: "tmpfs" }),
    },
    {
      title: "memory at a folder that is named nearly like a disposable one",
      resources: container(BIND, { target: "/opt/data/cache2", kind: "tmpfs" }),
    },
    {
      title: "memory at a disposable name deeper down",
      resources: container(BIND, { target: "/opt/data/sessions/cache", kind: "tmpfs" }),
    },
    ...[
      ["", "create › /opt/data is not mounted"],
      ["", "create › /opt/data is not mounted", "doctor --version"],
      ["", "create › /opt/data is not mounted", "versions"],
      ["", "create › /opt/data is not mounted", "subversion"],
      ["", "create › /opt/data is not mounted", "hermes gateway"],
      ["", "create › /opt/data is not mounted", "hermes"],
      ["", "create › /opt/data is not mounted", "xhermes --version"],
      ["", "create › /opt/data is not mounted", "hermes2 --version"],
      ["", "create › /opt/data is not mounted", "chat -h"],
      ["", "create › /opt/data is not mounted", "scat"],
      ["", "create › /opt/data is not mounted", "cats"],
      ["", "create › /opt/data is not mounted", "--ls"],
      ["-v hermes:/opt/data", '"hermes:/opt/data:volume", which is a volume in the image store'],
      ["-v /opt/data", "is a volume without a name"],
      ["-v ./data:/opt/data", "binds no absolute path"],
      ["--tmpfs /opt/data:rw,size=1g", "is memory"],
      [`-v ${GOOD} --tmpfs=/opt/data`, "is memory"],
      [`-v ${GOOD}:ro`, "is read-only"],
      [`-v ${GOOD}:O`, "is an overlay and throws changes away"],
      [`-v ${GOOD}:Z,O`, "is an overlay"],
      ["--mount type=tmpfs,destination=/opt/data", "is memory"],
      ["--mount type=image,src=a,dst=/opt/data,rw", "is no bind of a folder that lasts"],
      ["--mount type=devpts,dst=/opt/data", "is no bind of a folder that lasts"],
      ['-v "$DATA"', "/opt/data is mounted in part, or only if a variable says so"],
      ["--volumes-from other", "only if a variable says so"],
    ].map(([options = "", says = "", rest = "gateway run"]) => ({
      title: `podman run ${options} … ${rest}`,
      resources: run(options, rest),
      says: [says],
    })),
    {
      title: "another image that is given the data",
      resources: remote("podman run --tmpfs /opt/data/sessions docker.io/a/b:v1.0.0"),
    },
    {
      title: "an image that a variable names, with memory",
      resources: remote('podman run --tmpfs /opt/data "$IMAGE"'),
    },
    { title: "a Quadlet unit without a volume", resources: quadlet(`Image=${IMAGE}`) },
    {
      title: "a Quadlet unit with another unit's volume",
      resources: quadlet(`Image=${IMAGE}`, "Volume=hermes.volume:/opt/data"),
    },
    {
      title: "a Quadlet unit with systemd's runtime folder",
      resources: quadlet(`Image=${IMAGE}`, "Volume=%t/hermes:/opt/data"),
    },
    ...["%C", "%T", "%V"].map((specifier) => ({
      title: `a Quadlet unit with the folder ${specifier}`,
      resources: quadlet(`Image=${IMAGE}`, `Volume=${specifier}/hermes:/opt/data`),
      says: ["lies where nothing lasts"],
    })),
    {
      title: "a Quadlet unit with a user's image store",
      resources: quadlet(`Image=${IMAGE}`, "Volume=%h/.local/share/containers/x:/opt/data"),
      says: ["lies where nothing lasts"],
    },
    {
      title: "a Quadlet unit whose volume was taken back",
      resources: quadlet(`Image=${IMAGE}`, `Volume=${GOOD}`, "Volume="),
    },
    { title: "a Quadlet drop-in with memory", resources: dropIn("Tmpfs=/opt/data") },
    {
      title: "a unit in the project's own payload",
      resources: part(
        "/etc/containers/systemd/hermes.container",
        `[Container]\nImage=${IMAGE}\nTmpfs=/opt/data\n`,
      ),
    },
    { title: "a compose file with a named volume", resources: compose("    volumes: ['hermes:/opt/data']") },
    {
      title: "a compose file with a folder beside it",
      resources: compose("    volumes: ['./data:/opt/data']"),
    },
    {
      title: "a compose file with memory",
      resources: compose("    volumes: [{ type: tmpfs, target: /opt/data }]"),
    },
    {
      title: "a compose file with what a variable names",
      resources: compose(`    volumes: [{ type: bind, source: '\${DATA}', target: /opt/data }]`),
      says: ["is a folder that a variable names"],
    },
    { title: "a pod with an emptyDir", resources: kube("emptyDir: {}") },
    { title: "a pod with an emptyDir in memory", resources: kube("emptyDir: { medium: Memory }") },
    { title: "a NixOS container with a named volume", resources: nixContainer('"hermes:/opt/data"') },
    {
      title: "a NixOS container with a folder of another module",
      resources: nixContainer(`"\${config.x.y}:/opt/data"`),
      says: ["is a folder that a variable names"],
    },
    {
      title: "a command of cloud-init",
      resources: snippet({ runcmd: [["podman", "run", "-v", "x:/opt/data", IMAGE]] }),
    },
    ...[
      ...[
        "virtiofs",
        "9p",
        "nfs",
        "nfs4",
        "NFS",
        "cifs",
        "smb",
        "smb3",
        "smbfs",
        "fuse",
        "fuse.sshfs",
        "sshfs",
        "ceph",
        "glusterfs",
        "afs",
        "tmpfs",
        "ramfs",
        "overlay",
        "aufs",
      ].map((type) => `x ${HOME} ${type} defaults 0 0`),
      "srv:/x /var/lib nfs defaults 0 0",
      "srv:/x / nfs defaults 0 0",
      `srv:/x ${HOME}/sessions nfs defaults 0 0`,
      `srv:/x ${HOME}/ nfs defaults 0 0`,
      `UUID=1 /var/lib ext4 defaults 0 0\nsrv:/x ${HOME} nfs defaults 0 0`,
      `/tmp/hermes ${HOME} none bind 0 0`,
    ].map((line) => ({ title: `in fstab: ${line}`, resources: fstab(line) })),
    {
      title: "a network file system, with the place, the value and the folder",
      resources: fstab(`srv:/x ${HOME} nfs defaults 0 0`),
      says: [
        `it: stdin › ${HOME} holds ${HOME}, where /opt/data lies: the file system nfs loses or damages SQLite's databases.`,
      ],
    },
    {
      title: "a folder that was said to hold the data",
      resources: fstab("srv:/x /srv/home nfs defaults 0 0"),
      settings: { sources: ["/srv/home"] },
    },
    {
      title: "a mount unit",
      resources: file(
        "/etc/systemd/system/var-lib-hermes.mount",
        `[Mount]\nWhat=srv:/x\nWhere=${HOME}\nType=nfs\n`,
      ),
    },
    { title: "a mount command", resources: remote(`mount -t virtiofs hermes ${HOME}`) },
    { title: "a mount command without a type", resources: remote(`sudo mount srv:/x ${HOME}`) },
    { title: "a mount of cloud-init", resources: snippet({ mounts: [["hermes", HOME, "9p", "defaults"]] }) },
    {
      title: "a file system of NixOS",
      resources: nix(`fileSystems."${HOME}" = { device = "srv:/x"; fsType = "nfs"; };`),
    },
    { title: "a share of a microvm", resources: share(HOME) },
    { title: "a share of a microvm by its default protocol", resources: share(HOME, "") },
    { title: "a share above the data", resources: share("/var/lib") },
    {
      title: "a network file system under the folder of a unit, registered later",
      resources: beside("/srv/home", fstab("srv:/x /srv nfs defaults 0 0")),
      says: ["other: stdin › /srv holds /srv/home, where /opt/data lies: the file system nfs loses"],
    },
    {
      title: "a network file system under the folder of a unit, registered before",
      resources: [
        named(fstab("srv:/x /srv nfs defaults 0 0"), "fstab"),
        named(quadlet(`Image=${IMAGE}`, "Volume=/srv/home/:/opt/data"), "unit"),
      ],
      says: ['unit: stdin › Volume is "/srv/home", which lies on /srv: the file system nfs loses'],
    },
    {
      title: "a network file system in a part of a unit's folder, registered before",
      resources: [
        named(fstab("srv:/x /srv/home/sessions nfs defaults 0 0"), "fstab"),
        named(quadlet(`Image=${IMAGE}`, "Volume=/srv/home:/opt/data"), "unit"),
      ],
      says: ['unit: stdin › Volume is "/srv/home", which has a part on /srv/home/sessions: the file'],
    },
    {
      title: "a network file system in a part of the data, with the place",
      resources: fstab(`srv:/x ${HOME}/sessions nfs defaults 0 0`),
      says: [`it: stdin › ${HOME}/sessions is a part of ${HOME}, where /opt/data lies: the file system nfs`],
    },
    {
      title: "a bind of what does not last, with the reason",
      resources: fstab(`/tmp/hermes ${HOME} none bind 0 0`),
      says: ["where /opt/data lies: it is a bind of /tmp/hermes, where nothing lasts."],
    },
    {
      title: "a network file system and the unit on it in one text, once",
      resources: snippet({
        mounts: [["srv:/x", "/srv", "nfs"]],
        runcmd: [["podman", "run", "-v", "/srv/home:/opt/data", IMAGE]],
      }),
      times: 1,
    },
    {
      title: "a network file system over a disk of the guest",
      resources: [guest([disk(HOME)]), named(fstab(`srv:/x ${HOME} nfs defaults 0 0`), "fstab")],
    },
    {
      title: "a guest without a disk for the data",
      resources: [guest([disk("/", false)]), component([BIND])],
      says: [
        `container: volumes.0 is "${HOME}", which is on no persistent disk of Hermes' own in the guest.`,
      ],
    },
    {
      title: "a guest without a disk for the data, after its container",
      resources: [component([BIND]), guest([disk("/srv")])],
      says: [`guest: disks hold no persistent one of Hermes' own for ${HOME}.`],
    },
    {
      title: "a guest without a disk for two containers",
      resources: [
        component([BIND]),
        { ...component([{ ...BIND, source: "/srv/x" }]), name: "second" },
        guest([]),
      ],
      says: [`guest: disks hold no persistent one of Hermes' own for ${HOME}, /srv/x.`],
    },
    { title: "a guest without disks, after its container", resources: [component([BIND]), guest(undefined)] },
    {
      title: "a container that may be in either of two guests",
      resources: [component([BIND]), guest([disk(HOME)], "a"), guest([disk("/srv")], "b")],
      says: ["b: disks hold"],
    },
    {
      title: "a container that may be in either of two guests, after them",
      resources: [guest([disk(HOME)], "a"), guest([disk("/srv")], "b"), component([BIND])],
      says: ["container: volumes.0"],
    },
    {
      title: "a guest in a component, and its container outside",
      resources: [pair("first"), within("first", guest([disk("/srv")])), component([BIND])],
    },
    {
      title: "a container in a component, and its guest outside",
      resources: [pair("first"), guest([disk("/srv")]), within("first", component([BIND]))],
    },
    {
      title: "a unit on a disk of another guest than its own",
      resources: [
        guest([disk("/srv")], "a"),
        guest([disk(HOME)], "b"),
        {
          ...named(quadlet(`Image=${IMAGE}`, "Volume=/srv/x:/opt/data"), "unit"),
          parent: ["hermes:index:HermesGuest", "b"],
        },
      ],
    },
    { title: "a disk that is thrown away", resources: [guest([disk(HOME, false)]), component([BIND])] },
    {
      title: "a disk that is persistent in a word",
      resources: [guest([disk(HOME, "true")]), component([BIND])],
    },
    {
      title: "a disk that is thrown away, at a place that is not known yet",
      resources: [guest([disk(unknown, false)]), component([BIND])],
    },
    {
      title: "a disk at a name instead of a path",
      resources: [guest([disk("var")]), component([{ ...BIND, source: "/var/x" }])],
    },
    ...["/", "/var", "/var/lib/"].map((shared) => ({
      title: `a persistent disk at ${shared}, which the system shares`,
      resources: [guest([disk(shared)]), component([BIND])] as Case["resources"],
    })),
    {
      title: "a folder of a persistent disk on which another one lies",
      resources: [
        guest([disk("/srv"), disk("/srv/scratch", false)]),
        component([{ ...BIND, source: "/srv/scratch/x" }]),
      ],
    },
    {
      title: "a unit whose folder is on no disk of the guest",
      resources: [guest([disk(HOME)]), named(quadlet(`Image=${IMAGE}`, "Volume=/srv/x:/opt/data"), "unit")],
      says: ['unit: stdin › Volume is "/srv/x", which is on no persistent disk'],
    },
  ],
};
