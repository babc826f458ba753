import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Known, UNKNOWN } from "../content.ts";
import { launchesOf } from "./podman.ts";

const command = (words: readonly Known<string>[], environment = {}) => ({ at: "create", words, environment });
/** Words apart by blanks; `?` is a word that only the shell knows. */
const launches = (line: string, environment = {}) =>
  launchesOf(
    command(
      line.split(" ").map((word): Known<string> => (word === "?" ? UNKNOWN : word)),
      environment,
    ),
  );
const images = (line: string) => launches(line).map(({ image }) => image);
const run = (line: string) => launches(`podman run ${line}`)[0];

describe("launchesOf", () => {
  it("reads a whole command", () => {
    expect(
      launches(
        "/usr/bin/podman --log-level debug run -itd --name h -e A=1 --env=B=x=y -v /data:/opt/data:ro,Z -p 80:80 --net host --pid=host img:v1 gateway -p run",
      ),
    ).toEqual([
      {
        at: "create",
        verb: "run",
        image: "img:v1",
        network: "host",
        environment: { A: "1", B: "x=y" },
        mounts: [
          {
            at: "create › --volume",
            kind: "bind",
            source: "/data",
            target: "/opt/data",
            readOnly: true,
            options: ["Z"],
          },
        ],
        ports: ["80:80"],
        privileges: ["--pid=host"],
        command: ["gateway", "-p", "run"],
      },
    ]);
  });

  it.each([
    ["podman run a"],
    ["docker run a"],
    ["nerdctl run a"],
    ["podman-remote create a"],
    ["/bin/podman container run a"],
    ["podman container create a"],
    ["docker -H tcp://x:1 -c ctx --tls run a"],
    ["podman --remote --url ssh://x run a"],
    ["podman -r -c=x run a"],
    ["podman --connection x run a"],
    ["podman --brand-new run a"],
    ["podman --brand-new value run a"],
    ["podman --brand-new=value run a"],
    ["podman ? run a"],
    ["podman ? value container run a"],
    ["podman container ? run a"],
    ["podman run -- a"],
    ["podman run --rm -- a"],
    ["podman run --memory 1g --cpus 2 --health-cmd true a"],
    ["podman run --name ? a"],
    ["podman run -u 1:1 -w /x -h host -l k=v -m 1g -a stdin -c 5 a"],
    ["podman run -dp 80:80 -p80:80 -p=80:80 -eA=1 a"],
    ["podman run -d=false --rm=true a"],
    ["podman pull a"],
    ["docker pull -q --platform linux/amd64 a"],
    ["podman image pull --policy always a"],
    ["podman pull a --quiet"],
  ])("finds the image in: %s", (line) => {
    expect(images(line)).toEqual(["a"]);
  });

  it.each([
    "podman",
    "podman ps",
    "podman exec run a",
    "docker compose run a",
    "podman play kube run",
    "podman container ls run",
    "podman image ls pull",
    "echo podman run a",
    "podman-compose run a",
    "podman run",
    "podman run --rm",
    "podman pull",
  ])("finds none in: %s", (line) => {
    expect(launches(line)).toEqual([]);
  });

  it("reports every image that is pulled", () => {
    expect(launches("podman pull a:1 -q ? b:2 -- -c").map(({ verb, image }) => [verb, image])).toEqual([
      ["pull", "a:1"],
      ["pull", UNKNOWN],
      ["pull", "b:2"],
      ["pull", "-c"],
    ]);
  });

  it("makes a launch without an image of a pod", () => {
    expect(launches("podman pod create -p 80:80 -n web")).toMatchObject([{ ports: ["80:80"], command: [] }]);
    expect(launches("podman pod create web")[0]).not.toHaveProperty("image");
  });

  it("takes the word of --rootfs for no image", () => {
    expect(run("--rootfs /srv/root init")).toMatchObject({ command: ["init"] });
    expect(run("--rootfs /srv/root init")).not.toHaveProperty("image");
    expect(run("--rootfs=false a")).toHaveProperty("image", "a");
  });
});

describe("an image in doubt", () => {
  it("is the word after the value of an unknown option", () => {
    expect(images("podman run --brand-new value hermes:latest x")).toEqual(["hermes:latest"]);
    expect(images("podman run -Y value hermes")).toEqual(["hermes"]);
    expect(images("podman run -Yvalue hermes")).toEqual(["hermes"]);
  });

  it("is each later word that looks like one, when the word after the option does", () => {
    expect(images("podman run --brand-new r/a:v1 r/b:latest sh /bin/x")).toEqual(["r/a:v1", "r/b:latest"]);
  });

  it("is the value when there is nothing else", () => {
    expect(images("podman run --brand-new hermes")).toEqual(["hermes"]);
  });

  it("is what looks like one after a word that only the shell knows", () => {
    expect(images("podman run ? -p 80:80 r/a:latest")).toEqual(["r/a:latest"]);
    expect(images("podman run ? 127.0.0.1:80:80 1000:1000 80:80/udp /data:/data a@sha256:0")).toEqual([
      "a@sha256:0",
    ]);
    expect(launches("podman run ? -p 80:80 r/a:latest")[0]?.ports).toEqual(["80:80"]);
  });

  it("is the unknown word when nothing after it looks like one", () => {
    expect(launches("podman run -d ? gateway run")).toMatchObject([
      { image: UNKNOWN, command: ["gateway", "run"] },
    ]);
    expect(launches("podman run -- ? r/a:1")).toMatchObject([{ image: UNKNOWN, command: ["r/a:1"] }]);
  });
});

describe("options of a launch", () => {
  it.each([
    ["--privileged", ["--privileged"]],
    ["--privileged=false", []],
    ["--pid host --ipc=host --userns host", ["--pid=host", "--ipc=host", "--userns=host"]],
    ["--pid=ns:/proc/1/ns/pid", ["--pid=ns:/proc/1/ns/pid"]],
    ["--pid=private --userns keep-id --ipc shareable", []],
    ["--cap-add ALL --cap-add=SYS_ADMIN", ["--cap-add=ALL", "--cap-add=SYS_ADMIN"]],
    ["--cap-add ?", ["--cap-add"]],
    ["--cap-drop all", []],
    ["--device /dev/kvm", ["--device=/dev/kvm"]],
    ["--security-opt label=disable", ["--security-opt=label=disable"]],
    ["--security-opt=seccomp=unconfined", ["--security-opt=seccomp=unconfined"]],
    [
      "--security-opt label=type:spc_t --security-opt unmask=ALL",
      ["--security-opt=label=type:spc_t", "--security-opt=unmask=ALL"],
    ],
    ["--security-opt no-new-privileges", []],
    ["--use-api-socket", ["--use-api-socket"]],
  ])("%s: %j takes walls down", (options, privileges) => {
    expect(run(`${options} a`)?.privileges).toEqual(privileges);
  });

  it("publish ports, also all of them and in one word with others", () => {
    expect(run("-itp 1:1 -p2:2 -p=3:3 --publish 4:4 --publish=5:5 -P a")?.ports).toEqual([
      "1:1",
      "2:2",
      "3:3",
      "4:4",
      "5:5",
      "all",
    ]);
    expect(run("--publish-all=false -p ? a")?.ports).toEqual([UNKNOWN]);
  });

  it("name a network, of several the host's", () => {
    expect(run("--network one --net host a")?.network).toBe("host");
    expect(run("--network one --network two a")?.network).toBe("one");
    expect(run("a")).not.toHaveProperty("network");
  });

  it("pass variables on from the command's environment", () => {
    expect(
      launches("podman run -e A -e B -e ? -e __proto__=x --env-file f a", { A: "1" })[0]?.environment,
    ).toEqual(
      Object.fromEntries([
        ["A", "1"],
        ["B", UNKNOWN],
        ["__proto__", "x"],
      ]),
    );
  });

  it("mount in every notation", () => {
    expect(
      run("-v data:/d --tmpfs /t:ro --mount type=bind,src=/a,dst=/b --volumes-from x -v ? a")?.mounts.map(
        ({ kind, source, target, readOnly }) => [kind, source, target, readOnly],
      ),
    ).toEqual([
      ["volume", "data", "/d", false],
      ["tmpfs", undefined, "/t", true],
      ["bind", "/a", "/b", false],
      [UNKNOWN, undefined, UNKNOWN, UNKNOWN],
      [UNKNOWN, undefined, UNKNOWN, UNKNOWN],
    ]);
  });
});

it("reads any words without throwing", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom<Known<string>>(
      UNKNOWN,
      "-",
      "--",
      "--x",
      "-v",
      "-e",
      "--mount",
      "run",
      "pull",
      "pod",
      "container",
      "a/b:c",
      "--volume=",
      "-=",
      "--=",
    ),
  );
  fc.assert(fc.property(fc.array(word), (words) => void launchesOf(command(["podman", ...words]))));
  fc.assert(fc.property(fc.array(word), (words) => void launchesOf(command(["podman", "run", ...words]))));
});
