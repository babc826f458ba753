import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { hostTool } from "../../components/guest/microvm/host-tool.ts";
import { guestFolder } from "../../components/render/nixos/host-paths.ts";
import { ROOT } from "../../scripts/setup/paths.ts";
import { startTime } from "../../scripts/setup/processes.ts";
import { cutAfter } from "../lab/chopper/cut.ts";
import { AUTH_KEY, IMAGES, IN_GUEST, ON_HOST, STATE } from "../lab/chopper/facts.ts";
import { sections } from "../lab/chopper/sections.ts";
import { GUEST } from "../lab/chopper/site.ts";
import { SshMachine } from "../lab/chopper/ssh-machine.ts";
import { Deploys } from "../lab/deploys.ts";
import { guestStatus, waitForHermes } from "../lab/guest-status.ts";
import { tagRegistry } from "../lab/images/registry.ts";
import { Lab, type Stack } from "../lab/lab.ts";
import { prepare } from "../lab/prepare.ts";
import { commandTests } from "./command-tests.ts";
import { showConsoleOfFailures } from "./console.ts";
import { hermesAnswers } from "./hermes-answers.ts";

/** Tests in order on one lab: each stands on what the one before it left. */
const NAME = "docker.io/nousresearch/hermes-agent";
const TAG = "v2026.7.20";
// The same bits under a second tag: what is tested is the change of the tag.
const NEXT_TAG = "v2026.7.20.1";
const TOOL = hostTool(GUEST);

let lab: Lab;
let stack: Stack;
let deploys: Deploys;
let guest: SshMachine;

beforeAll(async () => {
  await prepare("chopper");
  await tagRegistry(TAG, NEXT_TAG);
  await Lab.down("test-chopper");
  lab = await Lab.open("test-chopper", "chopper");
  await lab.up();
  stack = await lab.stack();
  deploys = new Deploys(stack);
});

showConsoleOfFailures(() => lab);

afterAll(async () => {
  if (process.env["HERMES_KEEP_LAB"] === undefined) await lab?.down();
});

/** Connections that the program has opened to chopper: what the lab asks of chopper itself comes with another key. */
async function logins(): Promise<number> {
  const list = execFileSync("ssh-keygen", ["-lf", join(lab.folder, "deploy-key.pub")], { encoding: "utf8" });
  const fingerprint = list.split(" ")[1] ?? "";
  // From the line's start: sudo writes this very command into the journal, too.
  const count = `journalctl --no-pager -o cat -u ssh | grep -c '^Accepted publickey for mhelton .*${fingerprint}' || :`;
  return Number(await lab.host.exec(count));
}

/** What stays as long as the guest is not booted anew, and what as long as Hermes is not started anew. */
async function marks(): Promise<{ boot: string; container: string; image: string }> {
  const found = await sections(guest, {
    boot: "systemctl show -P UserspaceTimestampMonotonic",
    container: "podman inspect hermes --format '{{.State.StartedAt}}'",
    image: "podman inspect hermes --format '{{.ImageName}}'",
  });
  return found;
}

/** Every file below a folder of chopper, with what is in it. */
const listing = (folder: string): Promise<string> =>
  lab.host.exec(
    `cd ${folder} && find . -printf '%p %M %u:%g %T@ %l\\n' | sort && find . -type f -exec sha256sum {} +`,
  );

describe("the chopper stack in the lab", () => {
  it("a guest that the host declares itself, or that has another flake, is named and left alone", async () => {
    await lab.host.exec(
      `mkdir -p ${STATE} && cd ${STATE} && ln -s /nix/store/some-system toplevel && echo 1 > image`,
    );
    const declared = await listing(STATE);
    expect(await deploys.up("failure")).toContain(`${STATE}/toplevel exists`);
    expect(await listing(STATE)).toBe(declared);
    await lab.host.exec(`cd ${STATE} && rm toplevel && printf 'github:somebody/else' > flake`);
    const foreign = await listing(STATE);
    expect(await deploys.up("failure")).toContain("its flake is github:somebody/else");
    expect(await listing(STATE)).toBe(foreign);
    await lab.host.exec(`rm -r ${STATE}`);
  });

  it("`up` puts a Hermes 0.19.0 into a microvm, and its dashboard answers", async () => {
    await deploys.up();
    const outputs = stack.outputs();
    expect(outputs).toMatchObject({
      version: "0.19.0",
      image: `${NAME}:${TAG}`,
      hostname: GUEST,
      address: "192.168.20.51",
      user: "mhelton",
    });
    expect(await guestStatus(lab)).toEqual({
      state: "active",
      version: "0.19.0",
      image: { name: `${NAME}:${TAG}` },
    });
    const { hostKey = "", user = "", address = "" } = outputs;
    guest = new SshMachine(lab.sshArgs({ hostKey, user, address }));
  });

  describe("as it runs", () => {
    const config = parse(readFileSync(join(ROOT, "Pulumi.chopper.yaml"), "utf8")).config;
    let host: { readonly [name in keyof typeof ON_HOST]: string };
    let inside: { readonly [name in keyof typeof IN_GUEST]: string };

    beforeAll(async () => {
      host = await sections(lab.host, ON_HOST);
      inside = await sections(guest, IN_GUEST);
    });

    it("unit, state folder, tap and hostname are all called vm-hermes", () => {
      expect(host.unit).toBe("active");
      expect(host.flakes).toContain(`${guestFolder(GUEST)}/flakes/`);
      expect(host.tap).toMatch(/^up\n.*\/br0$/);
      expect(inside.hostname).toBe(GUEST);
      expect(host.machines).toMatch(new RegExp(`^${GUEST}\\s`, "m"));
    });

    it("address, gateway, DNS and MAC are those of the stack file", () => {
      const { address, gateway, mac } = config["hermes:guest"];
      expect(inside.address).toContain(`inet ${address} `);
      expect(inside.route).toContain(`default via ${gateway} `);
      expect(inside.dns).toBe(`DNS=${gateway}`);
      expect(inside.link).toContain(`link/ether ${mac} `);
    });

    it("it has 4 processors and 8 GiB", () => {
      expect(host.runner).toMatch(/ '?-m'? '?8192M'? '?-smp'? '?4'? /);
      expect(host.limits).toContain("MemoryMax=8589934592");
      expect(host.limits).toContain("CPUQuotaPerSecUSec=4s");
    });

    it("each volume is an ext4 by its label at its place, of the size that the stack file says", () => {
      const mounted = inside.mounts.split("\n").map((line) => line.split(" "));
      expect(mounted.map(([target, , type]) => [target, type])).toEqual([
        ["/var/lib", "ext4"],
        ["/var/lib/containers", "ext4"],
        ["/var/lib/hermes", "ext4"],
      ]);
      expect(new Set(mounted.map(([, source]) => source)).size).toBe(3);
      const sizes = host.images.split("\n").map((line) => line.split(" "));
      expect(Object.fromEntries(sizes.map(([name = "", size]) => [name, Number(size) / 2 ** 20]))).toEqual({
        [`${IMAGES}/state.img`]: 1024,
        [`${IMAGES}/hermes.img`]: 32_768,
        [`${STATE}/containers.img`]: 32_768,
      });
      expect(host.labels.split("\n").sort()).toEqual(["containers", "hermes", "state"]);
    });

    it("Hermes' data and the guest's identity are outside of microvm.nix' folder", () => {
      expect(host.images).toContain(`${IMAGES}/hermes.img `);
      expect(host.images).not.toContain(`${STATE}/hermes.img`);
    });

    it("podman runs the pinned image on the host's network, with its environment and its volume", () => {
      const command: string[] = JSON.parse(inside.command);
      expect(command).toEqual(expect.arrayContaining(["--replace", "--network=host"]));
      expect(command.slice(-3)).toEqual([`${NAME}:${TAG}`, "gateway", "run"]);
      expect(inside.network).toBe("host");
      const environment = Object.entries(config["hermes:container"].environment);
      expect(JSON.parse(inside.environment)).toEqual(
        expect.arrayContaining(environment.map(([name, value]) => `${name}=${value}`)),
      );
      expect(inside.volumes).toBe("/var/lib/hermes:/opt/data true");
      expect(inside.units).toMatch(/ActiveState=active/);
      expect(inside.units).toMatch(/NRestarts=0/);
    });

    it("root has no keys, mhelton has his own two, and wheel needs no password", () => {
      const owners: string[] = config["hermes:admin"].authorizedKeys;
      const ours = readFileSync(join(lab.folder, "deploy-key.pub"), "utf8").trim();
      expect(owners).toHaveLength(2);
      expect(inside.keys.split("\n").slice(0, 3)).toEqual([...owners, ours]);
      expect(inside.keys).toMatch(/No such file/);
      expect(inside.rootKeys).toMatch(
        /^ls: cannot access '\/etc\/ssh\/authorized_keys\.d\/root'.*\n\/root\/\.ssh:$/,
      );
      expect(inside.rootPassword).toMatch(/^[!*]/);
      expect(inside.wheel).toMatch(/^wheel:.*[:,]mhelton$/m);
      expect(inside.wheel).toMatch(/^%wheel\s.*NOPASSWD/m);
    });

    it("tailscale has the flags of the stack file, and its key reaches the guest as a credential and no store", () => {
      const { tailscale } = JSON.parse(host.system).services;
      expect(tailscale).toMatchObject({
        enable: true,
        authKeyFile: "/run/credentials/@system/TS_AUTHKEY",
        authKeyParameters: { ephemeral: false, preauthorized: true },
        extraUpFlags: ["--advertise-tags=tag:server", "--ssh"],
      });
      expect(inside.credential).toBe(AUTH_KEY);
      expect(host.store).toBe("nowhere");
      expect(host.arguments).toBe("nowhere");
    });

    it("nothing but SSH listens beyond the guest's loopback", () => {
      const open = inside.listening.split("\n").filter((line) => !/^(127\.|\[::1\])/.test(line));
      expect(open.length).toBeGreaterThan(0);
      for (const socket of open) expect(socket).toMatch(/:22$/);
      expect(inside.listening).toContain("127.0.0.1:9119");
    });
  });

  commandTests(() => ({ guest, user: "mhelton" }));

  it("a second `up` reports no changes and opens no SSH connection, and neither does a changed label", async () => {
    const before = await logins();
    const again = await deploys.pulumi("up", "--yes", "--policy-pack", "policy", "--expect-no-changes");
    expect(again.output).toMatch(/\d+ unchanged/);
    expect(again.status).toBe(0);
    deploys.edit(["hermes:guest", "labels", "owner"], "somebody");
    expect(await deploys.up()).toMatch(/~ 1 updated/);
    expect(await logins()).toBe(before);
    expect(before).toBeGreaterThan(0);
  });

  it("a preview says that other processors mean a rebuild with restart, and refuses another disk size", async () => {
    const before = await logins();
    const vcpus = await deploys.with(["hermes:guest", "vcpus"], 6, () => deploys.pulumi("preview"));
    expect(vcpus.output).toContain("vm-hermes: a rebuild with restart, since machine.nix will change");
    const size = await deploys.with(["hermes:guest", "disks", 2, "sizeMiB"], 65_536, () =>
      deploys.pulumi("preview"),
    );
    expect(size.output).toMatch(/sizeMiB was 32768 and cannot become 65536: images are never resized/);
    expect(size.status).not.toBe(0);
    expect(await logins()).toBe(before);
  });

  it("no secret stands in the state, in the output, or in what chopper was given", async () => {
    const key = readFileSync(join(lab.folder, "deploy-key"), "utf8").split("\n")[2] ?? "";
    expect(key.length).toBeGreaterThan(40);
    const [state, shown] = [stack.export(), await deploys.pulumi("preview", "--diff")];
    expect(state).toContain("guest-activate");
    expect(shown.status).toBe(0);
    expect(`${state}${shown.output}`).not.toContain(key);
    expect(
      await lab.host.exec(`grep -rlF '${key}' ${guestFolder(GUEST)} --exclude='*.img' || echo nowhere`),
    ).toBe("nowhere\n");
  });

  it("a guest that would not start with chopper fails a deploy and the check, with the line that is missing", async () => {
    const line = '`microvm.autostart = [ "vm-hermes" ];`';
    const target = "/etc/systemd/system/microvms.target";
    await lab.host.exec(`cp ${target} /root/ && sed -i /^Wants=/d ${target} && systemctl daemon-reload`);
    const before = await marks();
    await deploys.with(["hermes:readyTimeoutSeconds"], 601, async () => {
      expect(await deploys.up("failure")).toContain(line);
    });
    const check = await lab.host.run(`${TOOL} status ${GUEST}`);
    expect(check.code).toBe(1);
    expect(check.err).toContain(line);
    // Whoever starts the guest by hand says so.
    await deploys.with(["hermes:guest", "autostart"], "by-hand", async () => {
      await deploys.up();
      expect((await lab.host.run(`${TOOL} status ${GUEST}`)).code).toBe(0);
    });
    await lab.host.exec(`cp /root/microvms.target ${target} && systemctl daemon-reload`);
    await deploys.up();
    expect((await lab.host.run(`${TOOL} status ${GUEST}`)).code).toBe(0);
    expect(await marks()).toEqual(before);
  });

  it("a build that fails touches nothing that runs", async () => {
    await guest.exec("podman exec hermes sh -c 'echo remember > /opt/data/canary && sync /opt/data/canary'");
    deploys.edit(["hermes:container", "image"], `${NAME}:${NEXT_TAG}`);
    const [before, current] = [
      await marks(),
      await lab.host.exec(`readlink ${STATE}/current; cat ${STATE}/flake`),
    ];
    await lab.host.exec("mv /usr/lib/lab/nix /usr/lib/lab/nix.away");
    try {
      expect(await deploys.up("failure")).toMatch(/the build failed .*nothing that runs was touched/);
    } finally {
      await lab.host.exec("mv /usr/lib/lab/nix.away /usr/lib/lab/nix");
    }
    expect(await marks()).toEqual(before);
    expect(await lab.host.exec(`readlink ${STATE}/current; cat ${STATE}/flake`)).toBe(current);
  });

  it("a connection that is cut in the middle of a push changes nothing", async () => {
    const before = await lab.host.exec(`sha256sum ${TOOL}`);
    // The tool alone is twice that.
    const cut = await cutAfter(20_000, lab.ports.ssh ?? 0);
    try {
      await deploys.with(["hermes:ssh", "port"], cut.port, () => deploys.up("failure"));
      expect(cut.cuts()).toBeGreaterThan(0);
    } finally {
      cut.close();
    }
    expect(await lab.host.exec(`sha256sum ${TOOL}`)).toBe(before);
    expect(await guestStatus(lab)).toMatchObject({ version: "0.19.0", image: { name: `${NAME}:${TAG}` } });
  });

  it("the next `up` goes through: the other image runs after one restart, and /opt/data is as it was", async () => {
    const before = await marks();
    const restarts = `systemctl show -P NRestarts microvm@${GUEST}; journalctl -o cat --no-pager -u microvm@${GUEST} | grep -c '^Started '`;
    const [, starts] = (await lab.host.exec(restarts)).split("\n");
    await deploys.up();
    const after = await marks();
    expect(after.image).toBe(`${NAME}:${NEXT_TAG}`);
    expect(after.container).not.toBe(before.container);
    expect(await lab.host.exec(restarts)).toBe(`0\n${Number(starts) + 1}\n`);
    expect(await guest.exec("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("two activations at once take turns, and restart nothing", async () => {
    const state = JSON.parse(stack.export("--show-secrets"));
    const resources: { urn: string; inputs: { stdin: string } }[] = state.deployment.resources;
    const request = resources.find(({ urn }) => urn.endsWith("::guest-activate"))?.inputs.stdin ?? "";
    const before = await marks();
    const both = `cat > /root/request; for n in 1 2; do ${TOOL} activate ${GUEST} < /root/request & done; wait`;
    const { out, err } = await lab.host.run(both, { input: request, seconds: 300 });
    const answers = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(2);
    for (const answer of answers) expect(answer).toMatchObject({ version: "0.19.0", restarted: false });
    expect(err).toContain("another hermes-microvm is at work on vm-hermes");
    expect(await marks()).toEqual(before);
  });

  it("a host that shows another key than the pinned one is refused", async () => {
    const other = readFileSync(join(lab.folder, "deploy-key.pub"), "utf8").split(" ").slice(0, 2).join(" ");
    const before = await logins();
    await deploys.with(["hermes:ssh", "hostKey"], other, async () => {
      expect(await deploys.up("failure")).toMatch(/host key/i);
    });
    expect(await logins()).toBe(before);
  });

  it("a version that does not come up fails the deploy with its last words, and the previous one comes back", async () => {
    await deploys.with(["hermes:container", "command"], ["gateway", "no-such-command"], async () => {
      const output = await deploys.up("failure");
      expect(output).toMatch(/last lines of the journal of hermes\.service in the guest/);
      expect(output).toMatch(/no-such-command/);
      expect(output).toMatch(/The previous version \(0\.19\.0\) is back and ready/);
    });
    expect(await guestStatus(lab)).toMatchObject({
      version: "0.19.0",
      image: { name: `${NAME}:${NEXT_TAG}` },
    });
  });

  it("going back to the configuration of before activates it again, without a restart", async () => {
    const [before, connections] = [await marks(), await logins()];
    await deploys.up();
    expect((await logins()) - connections).toBeGreaterThan(0);
    expect(await marks()).toEqual(before);
    expect(await guest.exec("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("after a reboot of chopper the guest and Hermes come back by themselves", async () => {
    const id = "cat /proc/sys/kernel/random/boot_id";
    const before = await lab.host.exec(id);
    await lab.host.run("systemctl reboot");
    await expect
      .poll(() => lab.host.exec(id).catch(() => before), { timeout: 300_000, interval: 5000 })
      .not.toBe(before);
    await hermesAnswers(lab, 400);
    expect(await guest.exec("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("a destroy takes the guest and keeps hermes.img", async () => {
    const { status, output } = await deploys.pulumi("destroy", "--yes");
    expect(output).toMatch(/deleted/);
    expect(status).toBe(0);
    const left = await sections(lab.host, {
      state: `ls -d ${STATE} /nix/var/nix/gcroots/microvm/*${GUEST}*`,
      unit: `systemctl is-active microvm@${GUEST}`,
      images: `ls ${IMAGES}`,
      tool: `ls ${TOOL}`,
    });
    expect(left.state.match(/No such file/g)).toHaveLength(2);
    expect(left.unit).toBe("inactive");
    expect(left.images).toBe("hermes.img\nstate.img");
    expect(left.tool).toMatch(/No such file/);
  });

  it("a new guest on the kept images finds Hermes' data and its own identity again", async () => {
    const before = await lab.host.exec(`cat ${guestFolder(GUEST)}/known_hosts`);
    await deploys.up();
    await waitForHermes(lab, 60);
    expect(await lab.host.exec(`cat ${guestFolder(GUEST)}/known_hosts`)).toBe(before);
    expect(await guest.exec("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("`down` ends every process and removes the lab", async () => {
    const [machine] = lab.machines();
    expect(machine).toBeDefined();
    const ended = await lab.down();
    expect(ended.length).toBe(2);
    expect(startTime(machine ?? 0)).toBeUndefined();
    expect(existsSync(lab.folder)).toBe(false);
  });
});
