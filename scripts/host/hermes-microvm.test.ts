import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { digest, GUEST, Host, keyOf, machine, texts } from "./fixture.ts";

let host: Host;
beforeAll(async () => {
  host = new Host();
  host.save("new");
  await deployed();
  host.save("deployed");
});
beforeEach(() => host.restore("new"));
afterEach(() => expect(host.told("refused"), "calls that the doubles do not know").toBe(""));
afterAll(() => host.remove());

const V1 = texts("0.19.0");
const V2 = texts("0.20.0");
const broken = (line: string): ReturnType<typeof texts> =>
  texts("0.20.0", { "container.nix": `version 0.20.0\n${line}\n` });
const restarts = (): number => host.calls(/restart /).length;
const applied = (): string => host.read(join(host.base, "applied"));
const images = (name: string): string => join(host.base, "images", name);

/** What must be so after a deployment that ended well. */
function inForce(version: string): void {
  const values = Object.fromEntries(
    applied()
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
  expect(values["version"]).toBe(version);
  const flake = join(host.base, "flakes", `${values["flake"]}`);
  expect(host.read(join(host.state, "flake"))).toBe(flake);
  expect(host.read(join(flake, "container.nix"))).toContain(`version ${version}`);
  for (const link of [
    join(host.state, "current"),
    join(host.state, "booted"),
    join(host.gcRoots, `applied-${GUEST}`),
  ]) {
    expect(host.link(link), link).toBe(values["runner"]);
  }
  expect(host.link(join(host.gcRoots, GUEST))).toBe(join(host.state, "current"));
  expect(host.link(join(host.gcRoots, `booted-${GUEST}`))).toBe(join(host.state, "booted"));
}

async function deployed(files = V1): Promise<void> {
  const { status, stderr } = await host.deploy(files);
  expect(stderr).toContain("hermes-microvm: ");
  expect(status, stderr).toBe(0);
}

describe("staging", () => {
  test("a text is kept, whole and readable, and each different one gets a higher revision", async () => {
    const send = async (content: string) => {
      const { stdout } = await host.run(["stage", GUEST, "container.nix", digest(content)], {
        input: content,
      });
      return JSON.parse(stdout) as unknown;
    };
    expect(await send("one\n")).toEqual({ file: "container.nix", sha256: digest("one\n"), revision: 1 });
    expect(await send("one\n")).toEqual({ file: "container.nix", sha256: digest("one\n"), revision: 1 });
    expect(await send("two\n")).toEqual({ file: "container.nix", sha256: digest("two\n"), revision: 2 });
    expect(await send("one\n")).toEqual({ file: "container.nix", sha256: digest("one\n"), revision: 3 });
    const staged = join(host.base, "staged/container.nix");
    expect(host.read(staged)).toBe("one\n");
    expect(statSync(staged).mode & 0o777).toBe(0o644);
  });

  test("a text that was cut off replaces nothing", async () => {
    await host.stage({ "a.nix": "the old text\n" });
    const { status, stderr, stdout } = await host.run(["stage", GUEST, "a.nix", digest("the new text\n")], {
      input: "the new",
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^hermes-microvm: file a\.nix: the text is not whole: .*nothing was replaced/);
    expect(host.read(join(host.base, "staged/a.nix"))).toBe("the old text\n");
    expect(readdirSync(join(host.base, "tmp"))).toEqual([]);
  });

  test("a text of more than a mebibyte is refused", async () => {
    const input = "x".repeat(1048577);
    const { stderr } = await host.run(["stage", GUEST, "a.nix", digest(input)], { input });
    expect(stderr).toContain("longer than the 1048576 bytes allowed; nothing was replaced");
  });

  test.each([
    [["stage", GUEST, "../a", digest("")], "file ../a"],
    [["stage", GUEST, "a..b", digest("")], "file a..b"],
    [["stage", GUEST, "probe.pub", digest("")], "probe.pub"],
    [["stage", GUEST, "flake.lock", digest("")], "flake.lock"],
    [["stage", GUEST, "a.nix", "abc"], "expected a SHA-256"],
    [["stage", "../x", "a.nix", digest("")], "guest: expected"],
    [["stage", "", "a.nix", digest("")], "guest: expected"],
    [["stage", "-c", "a.nix", digest("")], "guest: expected"],
    [["stage", GUEST, "a.nix"], "stage with 1 arguments"],
    [["destroy", GUEST, "data"], "expected keep-data or delete-data"],
    [["what", GUEST], "what with 0 arguments"],
    [[], "a command and a guest are needed"],
  ])("the arguments %j are refused", async (args, message) => {
    const { status, stderr } = await host.run(args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
    expect(existsSync(host.base)).toBe(false);
  });
});

describe("the request", () => {
  const refused = async (input: string, message: string): Promise<void> => {
    const { status, stderr, stdout } = await host.run(["activate", GUEST], { input });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(message);
    expect(host.told("calls")).toBe("");
  };

  test("cut off anywhere, it is refused", async () => {
    const whole = host.request(V1);
    for (let length = 0; length < whole.length - "end\n".length; length += 61) {
      await refused(whole.slice(0, length), "request");
    }
    await refused(whole.slice(0, -"d\n".length), "request");
    await refused(whole.slice(0, -"end\n".length), "its last line must be end; nothing was touched");
  });

  test.each(["ssh", "mac", "tap", "cid", "autostart", "unit", "timeout"])(
    "without %s it is refused",
    async (key) => {
      await refused(host.request(V1, { [key]: undefined }), `request: ${key} is missing`);
    },
  );

  test.each([
    ["color red", "request: unknown key color"],
    ["cid 5", "request: cid occurs twice"],
    ["file flake.nix abc 1", "request: file flake.nix: expected a SHA-256"],
    [`file flake.nix ${digest("")} 1`, "request: file flake.nix occurs twice"],
    [`file x.nix ${digest("")} 0`, "expected a revision"],
    [`file ../x ${digest("")} 1`, "file ../x: expected"],
    ["image ../up.img 1 disposable", "without . or .."],
    ["image sub/x.img 1 disposable", "right in its folder"],
    ["image x.img 1 persistent", "would be deleted with that folder"],
    ["image x.img 01 disposable", "expected a size in MiB, found 01"],
    ["image x.img 1 maybe", "expected persistent or disposable"],
    ["image containers.img 2 disposable", "image containers.img occurs twice"],
    ["unit a b", "unit: expected one value"],
    ["file $(id) x 1", "characters other than"],
    ["", "a line is empty"],
  ])("with the line %j it is refused", async (line, message) => {
    await refused(`${line}\n${host.request(V1)}`, message);
  });

  test.each([
    ["ssh", "-oProxyCommand"],
    ["ssh", "vsock/x"],
    ["mac", "02:00:00:00:20"],
    ["tap", "vm-jellyswarrm-x"],
    ["cid", "2"],
    ["unit", "hermes"],
    ["timeout", "0"],
    ["autostart", "no"],
  ])("%s %s is refused, with what is allowed", async (key, value) => {
    await refused(host.request(V1, { [key]: value }), "expected");
  });

  test("anything after end is refused", async () => {
    await refused(`${host.request(V1)}cid 5\n`, "something follows the line end");
  });

  test("a text that is not the staged one is refused, with what to do", async () => {
    await host.stage(V1);
    const { stderr } = await host.activate(V2);
    expect(stderr).toMatch(
      /file container\.nix: expected the text [0-9a-f]{64}, found [0-9a-f]{64} in .*nothing was touched/,
    );
    const missing = await host.activate({ ...V1, "users.nix": "{ }\n" });
    expect(missing.stderr).toMatch(/file users\.nix: expected .*, found none/);
    expect(existsSync(join(host.base, "flakes"))).toBe(false);
  });
});

describe("a first deployment", () => {
  test("makes the guest, waits for Hermes and states what runs", async () => {
    await host.stage(V1);
    const { status, stdout, stderr } = await host.activate(V1);
    expect(status, stderr).toBe(0);
    expect(stdout.split("\n")).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual({
      version: "0.19.0",
      image: "docker.io/nousresearch/hermes-agent:v0.19.0",
      hostKey: keyOf("image1"),
      runner: host.link(join(host.state, "current")),
      restarted: true,
      seconds: expect.any(Number) as number,
    });
    inForce("0.19.0");
    expect(host.read(join(host.base, "known_hosts"))).toBe(`${GUEST} ${keyOf("image1")}\n`);
    expect(statSync(images("hermes.img")).size).toBe(2 * 1048576);
    expect(readdirSync(join(host.base, "tmp"))).toEqual([]);
    // The key comes from the console: no connection takes one that it does not know.
    const checking = host.calls(/^ssh /).map((line) => /StrictHostKeyChecking=(\S+)/.exec(line)?.[1]);
    expect(checking).toEqual(["yes", "yes", "yes"]);
  });

  test("gives the images to microvm, and only the public half of the probe's key to the guest", async () => {
    await deployed();
    expect(host.calls(/^chown microvm:kvm /)).toEqual([`chown microvm:kvm ${join(host.base, "images")}`]);
    expect(statSync(join(host.base, "images")).mode & 0o777).toBe(0o770);
    expect(statSync(join(host.base, "probe-key")).mode & 0o777).toBe(0o600);
    const flake = host.read(join(host.state, "flake"));
    expect(readdirSync(flake).sort()).toEqual([...Object.keys(V1), "flake.lock", "probe.pub"].sort());
    expect(host.read(join(flake, "probe.pub"))).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+ hermes-probe\n$/);
    for (const name of readdirSync(flake)) expect(host.read(join(flake, name))).not.toContain("PRIVATE");
  });

  test("that fails to build leaves no guest, and shows the build's last lines", async () => {
    const { status, stderr } = await host.deploy(broken("THROW"));
    expect(status).toBe(1);
    expect(stderr).toContain("the build failed (`microvm` ended with 1); nothing that runs was touched");
    expect(stderr).toContain("error line 21\n");
    expect(stderr).toContain("error line 40\n");
    expect(stderr).not.toContain("error line 20\n");
    expect(existsSync(host.state)).toBe(false);
    expect(existsSync(join(host.base, "creating"))).toBe(false);
    await deployed();
    inForce("0.19.0");
  });

  test("that does not come up says that there is nothing to go back to, and a second run continues", async () => {
    const { status, stderr } = await host.deploy(broken("HERMES-DOWN"), { timeout: "1" });
    expect(status).toBe(1);
    expect(stderr).toContain(
      "hermes.service was not ready within 1 s: in the guest: hermes.service is activating",
    );
    expect(stderr).toContain("There is no earlier version to go back to; the guest stays as it is");
    expect(stderr).toContain("    last words\n");
    expect(existsSync(join(host.base, "applied"))).toBe(false);
    await deployed(V2);
    inForce("0.20.0");
  });

  test("finds the rest of one that was killed when its folder was half moved, and only then replaces it", async () => {
    await host.stage(V1);
    mkdirSync(host.state);
    symlinkSync(host.folder, join(host.state, "current"));
    expect((await host.activate(V1)).stderr).toContain("so the guest is not this project's");
    writeFileSync(join(host.base, "creating"), "");
    writeFileSync(join(host.state, "other"), "");
    expect((await host.activate(V1)).stderr).toContain("so the guest is not this project's");
    rmSync(join(host.state, "other"));
    writeFileSync(join(host.state, "flake"), "");
    expect((await host.activate(V1)).status).toBe(0);
    inForce("0.19.0");
  });

  test("works under a shell that is bash in its POSIX mode, too", async () => {
    await host.stage(V1);
    const { status, stderr } = await host.activate(V1, {}, { shell: ["bash", "--posix"] });
    expect(status, stderr).toBe(0);
    inForce("0.19.0");
  });
});

describe("a change", () => {
  beforeEach(() => host.restore("deployed"));

  test("is built, restarted once and in force; images and host key stay", async () => {
    writeFileSync(images("hermes.img"), "memories", { flag: "r+" });
    await deployed(V2);
    inForce("0.20.0");
    expect(restarts()).toBe(2);
    expect(host.read(images("hermes.img"))).toMatch(/^memories/);
    expect(host.read(join(host.base, "known_hosts"))).toContain(keyOf("image1"));
  });

  test("of nothing builds and restarts nothing, and still asks Hermes", async () => {
    host.set("calls");
    const { status, stdout } = await host.activate(V1);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: "0.19.0", restarted: false });
    expect(host.calls(/^microvm|restart/)).toEqual([]);
    expect(host.calls(/^ssh /)).toHaveLength(1);
    host.set("hermes-down");
    const down = await host.activate(V1, { timeout: "1" });
    expect(down.status).toBe(1);
    expect(down.stderr).toContain(
      "This is the version that was in force before, so there is nothing to go back to",
    );
    expect(restarts()).toBe(0);
  });

  test("that builds the very same system restarts nothing", async () => {
    const commented = { ...V1, "container.nix": `# another label\n${V1["container.nix"]}` };
    await host.stage(commented);
    const { stdout } = await host.activate(commented);
    expect(JSON.parse(stdout)).toMatchObject({ restarted: false });
    inForce("0.19.0");
    expect(restarts()).toBe(1);
  });

  test("that builds the very same system while Hermes is down restarts nothing, and says so", async () => {
    const commented = { ...V1, "container.nix": `# another label\n${V1["container.nix"]}` };
    host.set("hermes-down");
    const { stderr } = await host.deploy(commented, { timeout: "1" });
    expect(stderr).toContain("The new texts build the very system that was in force before");
    expect(restarts()).toBe(1);
    inForce("0.19.0");
  });

  test("of nothing puts gc roots that are missing back", async () => {
    for (const root of readdirSync(host.gcRoots)) rmSync(join(host.gcRoots, root));
    expect((await host.activate(V1)).status).toBe(0);
    inForce("0.19.0");
  });

  test("an unchanged guest that is down is started", async () => {
    host.set(`active.microvm@${GUEST}.service`, "inactive\n");
    const { stdout } = await host.activate(V1);
    expect(JSON.parse(stdout)).toMatchObject({ restarted: true });
  });

  test("whose build fails leaves everything as it was", async () => {
    const { status, stderr } = await host.deploy(broken("THROW"));
    expect(status).toBe(1);
    expect(stderr).toContain("nothing that runs was touched");
    inForce("0.19.0");
    expect(restarts()).toBe(1);
    expect((await host.deploy(V1)).stdout).toContain('"restarted":false');
  });

  test.each([
    ["HERMES-DOWN", "1", "hermes.service was not ready within 1 s"],
    ["HERMES-FAILS", "20", "hermes.service failed in the guest (exit-code)"],
    ["STALE", "1", "hermes.service was not ready within 1 s"],
    ["TALKS", "1", "the guest does not answer over SSH"],
    ["LOOPS", "20", "hermes.service was restarted 4 times in the guest"],
    ["PID-CHANGES", "1", "its process keeps changing"],
    ["CRASHES", "20", `microvm@${GUEST}.service was restarted 4 times`],
    ["NEVER-STARTS", "20", `microvm@${GUEST}.service failed (exit-code)`],
    ["NO-SSH", "1", "the guest does not answer over SSH at vsock/4: Connection refused"],
  ])(
    "that does not come up (%s) is taken back, with the reason and the last log lines",
    async (fault, timeout, reason) => {
      const { status, stderr } = await host.deploy(broken(fault), { timeout });
      expect(status).toBe(1);
      expect(stderr).toContain(reason);
      expect(stderr).toMatch(/The previous version \(0\.19\.0\) is back and ready\n$/);
      const inside = ["HERMES-DOWN", "HERMES-FAILS", "STALE", "TALKS", "LOOPS", "PID-CHANGES"].includes(
        fault,
      );
      expect(stderr).toContain(
        inside ? "    last words\n" : `    host journal of microvm@${GUEST}.service\n`,
      );
      inForce("0.19.0");
      expect(JSON.parse((await host.run(["status", GUEST])).stdout)).toMatchObject({ version: "0.19.0" });
    },
  );

  test("whose guest answers with control characters does not bring them into the message", async () => {
    const { stderr } = await host.deploy(broken("HERMES-DOWN ODD"), { timeout: "1" });
    expect(stderr).toContain("in the guest: hermes.service is activating");
    expect(stderr).not.toContain("\u001b");
  });

  test("that was killed while Nix wrote its lock file fails once more at most", async () => {
    await host.stage(V2);
    const killed = await host.activate(V2, {}, { killAt: 1e6 });
    expect(killed.status).toBe(0);
    const flake = host.read(join(host.state, "flake"));
    host.restore("deployed");
    mkdirSync(join(host.base, "flakes"), { recursive: true });
    cpSync(join(host.base, "staged"), flake, { recursive: true });
    await host.stage(V2);
    for (const name of Object.keys(V2)) cpSync(join(host.base, "staged", name), join(flake, name));
    cpSync(join(host.base, "probe.pub"), join(flake, "probe.pub"));
    writeFileSync(join(flake, "flake.lock"), "");
    const { stderr } = await host.activate(V2);
    expect(stderr).toContain("error: parsing flake.lock");
    inForce("0.19.0");
    expect((await host.activate(V2)).status).toBe(0);
    inForce("0.20.0");
  });

  test("that cannot be taken back says so", async () => {
    // The system before does not answer either from its next start on.
    const runner = host.link(join(host.state, "current"));
    writeFileSync(`${runner}/share/double-text`, "HERMES-FAILS\n");
    const { status, stderr } = await host.deploy(broken("NEVER-STARTS"));
    expect(status).toBe(1);
    expect(stderr).toContain(`microvm@${GUEST}.service failed (exit-code)`);
    expect(stderr).toMatch(
      /The previous version \(0\.19\.0\) is NOT back: hermes\.service failed in the guest .* is active\n$/,
    );
    expect(host.link(join(host.state, "current"))).toBe(runner);
  });

  test("that cannot be taken back since the old system is gone says so", async () => {
    rmSync(`${host.link(join(host.state, "current"))}`, { recursive: true });
    const { stderr } = await host.deploy(broken("HERMES-FAILS"));
    expect(stderr).toContain("The previous version (0.19.0) is NOT back: its system");
  });

  test("to another vsock CID is asked there, and taken back to the old one", async () => {
    const moved = texts("0.20.0", { "machine.nix": machine({ cid: 7 }) });
    await host.stage(moved);
    expect((await host.activate(moved, { ssh: "vsock/7", cid: "7" })).status).toBe(0);
    const back = broken("HERMES-FAILS");
    const { stderr } = await host.deploy(back);
    expect(stderr).toContain("The previous version (0.20.0) is back and ready");
  });

  test("keeps the flakes of this version and the one before, and no others", async () => {
    await deployed(V2);
    await host.deploy(broken("HERMES-FAILS"));
    await deployed(texts("0.21.0"));
    const kept = readdirSync(join(host.base, "flakes"));
    const versions = kept.map(
      (name) => /version (\S+)/.exec(host.read(join(host.base, "flakes", name, "container.nix")))?.[1],
    );
    expect(versions.sort()).toEqual(["0.20.0", "0.21.0"]);
    expect((await host.activate(texts("0.21.0"))).status).toBe(0);
    expect(readdirSync(join(host.base, "flakes"))).toEqual(kept);
  });

  test("looks the inputs up again only when flake.nix is another one", async () => {
    await deployed(V2);
    expect(host.calls(/^lookup/)).toHaveLength(1);
    await deployed({ ...V2, "flake.nix": "other inputs\n" });
    expect(host.calls(/^lookup/)).toHaveLength(2);
  });

  test("is the next activation's work when its files only went away", async () => {
    await host.stage({ "extra.nix": "{ }\n" });
    await deployed({ ...V1, "extra.nix": "{ }\n" });
    expect(existsSync(join(host.base, "staged/extra.nix"))).toBe(true);
    expect((await host.activate(V1)).status).toBe(0);
    expect(existsSync(join(host.read(join(host.state, "flake")), "extra.nix"))).toBe(false);
    // What no activation names is not kept, and its revisions go on.
    expect(readdirSync(join(host.base, "staged")).toSorted()).toEqual(Object.keys(V1).toSorted());
    const { stdout } = await host.run(["stage", GUEST, "extra.nix", digest("{ }\n")], { input: "{ }\n" });
    expect(stdout).toContain('"revision":2');
  });
});

describe("the guest's host key", () => {
  beforeEach(() => host.restore("deployed"));
  const swap = (): void => writeFileSync(images("state.img"), "imageX", { flag: "r+" });

  test("changed, is refused before anything is touched, with the file to remove", async () => {
    swap();
    const { status, stderr } = await host.deploy(V2);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /host key is not the one learnt .*\(ssh-ed25519 AAAA\w+image1\).* remove .*known_hosts on the host.*nothing that runs was touched/,
    );
    inForce("0.19.0");
    expect(restarts()).toBe(1);
    const unchanged = await host.deploy(V1);
    expect(unchanged.status).toBe(1);
    expect(unchanged.stderr).toContain("host key is not the one learnt");
    rmSync(join(host.base, "known_hosts"));
    await deployed(V2);
    expect(host.read(join(host.base, "known_hosts"))).toContain(keyOf("imageX"));
  });

  test("stays pinned when the guest is made again with its state image", async () => {
    await host.run(["destroy", GUEST, "keep-data"]);
    swap();
    const { stderr } = await host.deploy(V1);
    expect(stderr).toContain("host key is not the one learnt");
  });

  test("is never taken from whoever answers: a guest whose console is silent is not spoken to", async () => {
    await host.run(["destroy", GUEST, "keep-data"]);
    rmSync(join(host.base, "known_hosts"));
    host.set("silent-console");
    const asked = host.calls(/^ssh /).length;
    const { status, stderr } = await host.deploy(V1);
    host.unset("silent-console");
    expect(status).toBe(1);
    expect(stderr).toContain("it has not told its SSH host key on its console yet");
    expect(host.calls(/^ssh /)).toHaveLength(asked);
    expect(existsSync(join(host.base, "known_hosts"))).toBe(false);
  });

  test("is learnt anew when the state image is a new one", async () => {
    await host.run(["destroy", GUEST, "keep-data"]);
    rmSync(images("state.img"));
    await deployed();
    expect(host.read(join(host.base, "known_hosts"))).toContain(keyOf("image4"));
  });
});

test("a guest of ours whose flake was lost is not destroyed in pretence, and a pipe in its place hangs nothing", async () => {
  await host.restore("deployed");
  const flake = join(host.state, "flake");
  rmSync(flake);
  execFileSync("mkfifo", [flake]);
  for (const args of [
    ["destroy", GUEST, "keep-data"],
    ["status", GUEST],
  ]) {
    const { status, stderr } = await host.run(args);
    expect(status).toBe(1);
    expect(stderr).toContain("its flake is not named");
  }
  expect(host.calls(/ stop /)).toEqual([]);
  expect(existsSync(join(host.base, "applied"))).toBe(true);
});

test("a unit that failed is not left listed as failed when its guest is destroyed", async () => {
  await host.restore("deployed");
  const unit = `active.microvm@${GUEST}.service`;
  host.set(unit, "failed\n");
  expect((await host.run(["destroy", GUEST, "keep-data"])).status).toBe(0);
  expect(host.told(unit)).toBe("inactive\n");
});

describe("what is not ours", () => {
  const untouched = async (message: string): Promise<void> => {
    await host.stage(V1);
    for (const args of [
      ["activate", GUEST],
      ["status", GUEST],
    ]) {
      const { status, stderr } = await host.run(args, { input: host.request(V1) });
      expect(status).toBe(1);
      expect(stderr).toContain(message);
    }
    expect(existsSync(join(host.base, "staged/flake.nix"))).toBe(true);
    // A deployment that was refused can be destroyed; the guest of somebody else is left alone.
    const { status, stdout, stderr } = await host.run(["destroy", GUEST, "delete-data"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ removed: false });
    expect(stderr).toContain(message);
    expect(host.calls(/^microvm|restart|stop/)).toEqual([]);
  };

  test("a guest that the host declares, by its file toplevel", async () => {
    mkdirSync(host.state);
    writeFileSync(join(host.state, "toplevel"), "");
    await untouched("toplevel exists: the host's own configuration declares the guest vm-hermes");
  });

  test("a guest of another flake", async () => {
    mkdirSync(host.state);
    writeFileSync(join(host.state, "flake"), "git+file:///etc/nixos");
    await untouched("its flake is git+file:///etc/nixos instead of one below");
  });

  test("a guest that the host declares, by its unit", async () => {
    host.set("declared", `install-microvm-${GUEST}\n`);
    await untouched(
      "the host's own configuration declares the guest vm-hermes (unit install-microvm-vm-hermes.service)",
    );
  });

  test("a folder with something else in it, and a link", async () => {
    mkdirSync(host.state);
    writeFileSync(join(host.state, "hermes.img"), "data");
    await untouched("its flake is not named instead of");
    expect(host.read(join(host.state, "hermes.img"))).toBe("data");
    rmSync(host.state, { recursive: true });
    symlinkSync(host.folder, host.state);
    await untouched("is not a folder");
  });

  test("a flake of another guest of this project", async () => {
    mkdirSync(host.state);
    writeFileSync(join(host.state, "flake"), host.at("/var/lib/hermes-microvm/guests/vm-other/flakes/x"));
    await untouched("so the guest is not this project's");
  });
});

describe("what must be right on the host", () => {
  beforeEach(() => host.stage(V1));
  const refused = async (message: string, changes = {}): Promise<void> => {
    const { status, stderr } = await host.activate(V1, changes);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(host.calls(/^microvm|restart/)).toEqual([]);
    expect(existsSync(join(host.base, "flakes"))).toBe(false);
  };

  test.each([
    ["share/microvm/vsock-cid", "4\n", "vsock CID 4 (hermes:guest.vsockCid) belongs to the guest vm-other"],
    [
      "share/microvm/tap-interfaces",
      "vm-x\nvm-hermes\n",
      "tap vm-hermes (hermes:guest.tap) belongs to the guest vm-other",
    ],
    [
      "bin/microvm-run",
      "mac=02:00:00:00:20:0A\n",
      "MAC address 02:00:00:00:20:0a (hermes:guest.mac) belongs to the guest vm-other",
    ],
  ])("%s of another guest is not taken", async (file, content, message) => {
    const other = host.at("/nix/store/other");
    mkdirSync(join(other, file, ".."), { recursive: true });
    writeFileSync(join(other, file), content);
    mkdirSync(host.at("/var/lib/microvms/vm-other"));
    symlinkSync(other, host.at("/var/lib/microvms/vm-other/booted"));
    const mac = { mac: "02:00:00:00:20:0a" };
    await refused(message, mac);
    writeFileSync(join(other, file), "44\nvm-hermes2\n02:00:00:00:20:00\n");
    expect((await host.activate(V1, mac)).status).toBe(0);
  });

  test("an image of another size is refused with both sizes and the way to make it larger", async () => {
    mkdirSync(join(host.base, "images"), { recursive: true });
    const path = images("hermes.img");
    writeFileSync(path, "data");
    truncateSync(path, 1048576);
    await refused(`${path}: found 1 MiB, wanted 2 MiB; microvm.nix never resizes an image`);
    await refused(`truncate -s 2M ${path} && e2fsck -f ${path} && resize2fs ${path}`);
    await refused("grownFromMiB to the size before (1)");
    truncateSync(path, 3 * 1048576);
    await refused("found 3 MiB, wanted 2 MiB");
    await refused("cannot be made smaller");
    truncateSync(path, 2 * 1048576 + 1);
    await refused("found 2097153 bytes, wanted 2 MiB");
    truncateSync(path, 0);
    await refused("is empty: its making was cut short");
    // Resized by hand, it is right, whatever it was before.
    truncateSync(path, 2 * 1048576);
    expect((await host.activate(V1)).status).toBe(0);
  });

  test("a persistent image that has gone is not made anew, empty, in silence", async () => {
    const path = images("hermes.img");
    await deployed();
    rmSync(path);
    for (const files of [V1, V2]) {
      const { status, stderr } = await host.deploy(files);
      expect(status).toBe(1);
      expect(stderr).toMatch(/hermes\.img is missing, and it was there .*nothing was touched/);
    }
    expect(existsSync(path)).toBe(false);
    expect(restarts()).toBe(1);
    const applied = join(host.base, "applied");
    writeFileSync(applied, host.read(applied).replace(/^images=.*\n/m, ""));
    await deployed(V2);
    expect(existsSync(path)).toBe(true);
  });

  test("a tap that is called like an interface of the host is refused: microvm.nix would delete that", async () => {
    const net = host.at("/sys/class/net");
    mkdirSync(join(net, "br0"), { recursive: true });
    const input = host.request(V1, { tap: "br0" });
    const { status, stderr } = await host.run(["activate", GUEST], { input });
    expect(status).toBe(1);
    expect(stderr).toContain("br0 (hermes:guest.tap) is an interface of this host already");
    expect(host.calls(/^microvm /)).toEqual([]);
    // Its own tap is there while the guest runs.
    await deployed();
    mkdirSync(join(net, "vm-hermes"));
    await deployed(V2);
  });

  test("a configuration without a persistent image that is in force is refused, whatever a preview said", async () => {
    await deployed();
    const without = host.request(V1).replace(/^image \S+hermes\.img.*\n/m, "");
    const { status, stderr } = await host.run(["activate", GUEST], { input: without });
    expect(status).toBe(1);
    expect(stderr).toMatch(/hermes\.img is a persistent image of what is in force, .*nothing was touched/);
    expect(restarts()).toBe(1);
  });

  test("an image that QEMU could not open is refused, with the command that mends it", async () => {
    await deployed();
    if (process.getuid?.() !== 0) return;
    chownSync(images("hermes.img"), 65534, 65534);
    const { status, stderr } = await host.deploy(V2);
    expect(status).toBe(1);
    expect(stderr).toMatch(/hermes\.img belongs to nobody, .*`chown microvm:kvm \S+hermes\.img`/);
  });

  test.each([
    ["another name", "data\n", "is called data; expected hermes"],
    ["no file system", "", "is called nothing; expected hermes"],
  ])("an image with %s, which the guest would not find, is refused", async (_title, label, message) => {
    await deployed();
    host.set("label.hermes.img", label);
    const { status, stderr } = await host.deploy(V2);
    host.unset("label.hermes.img");
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain("e2label");
    expect(restarts()).toBe(1);
  });

  test.each([
    ["/vms/vm-hermes", "microvm.stateDir of the host must have its default"],
    ["", "must import microvm.nixosModules.host"],
  ])("a host whose unit works in %j is refused before anything is built", async (folder, message) => {
    host.set("workdir", `${folder}\n`);
    await refused(message);
    host.unset("workdir");
    expect(host.calls(/^microvm /)).toEqual([]);
  });

  test("a disposable image of another size may be removed, and the message says so", async () => {
    await host.activate(V1);
    host.set("calls");
    truncateSync(join(host.state, "containers.img"), 5 * 1048576);
    const { stderr } = await host.activate(V1);
    expect(stderr).toContain(`It holds nothing that lasts: \`systemctl stop microvm@${GUEST} && rm`);
  });

  test("a guest that does not start with the host is refused, with the exact line", async () => {
    host.set("wants", "microvm@vm-hermes2.service");
    await refused('add the line `microvm.autostart = [ "vm-hermes" ];` to the host\'s NixOS configuration');
    await refused("hermes:guest.autostart to by-hand");
    expect((await host.activate(V1, { autostart: "by-hand" })).status).toBe(0);
    const byHand = await host.run(["status", GUEST]);
    expect([byHand.status, JSON.parse(byHand.stdout)]).toMatchObject([0, { autostart: false }]);
  });

  test("without the microvm command the host is told what it lacks", async () => {
    const env = { PATH: host.folder };
    symlinkSync("/bin/sh", join(host.folder, "sh"));
    for (const name of ["cat", "id"])
      symlinkSync(
        execFileSync("/bin/sh", ["-c", `command -v ${name}`])
          .toString()
          .trim(),
        join(host.folder, name),
      );
    const { stderr } = await host.activate(V1, {}, { env });
    expect(stderr).toContain(
      "this host has no `microvm` command; it must be a NixOS host that imports microvm.nixosModules.host",
    );
  });
});

describe("status", () => {
  const status = async (): Promise<readonly [number | null, unknown, string]> => {
    const { status: code, stdout, stderr } = await host.run(["status", GUEST]);
    return [code, JSON.parse(stdout), stderr];
  };

  test("is green after a deployment, and names what is in force", async () => {
    await deployed();
    const [code, value, stderr] = await status();
    expect([code, stderr]).toEqual([0, ""]);
    expect(value).toEqual({
      guest: GUEST,
      unit: `microvm@${GUEST}.service`,
      state: "active",
      version: "0.19.0",
      image: "docker.io/nousresearch/hermes-agent:v0.19.0",
      autostart: true,
      applied: /flake=(\S+)/.exec(applied())?.[1],
      bootedIsCurrent: true,
    });
  });

  test("is red, with a sentence, when something is not right", async () => {
    expect(await status()).toMatchObject([
      1,
      { state: "inactive", applied: null },
      expect.stringContaining("there is no guest"),
    ]);
    await deployed();
    host.set("wants", "");
    expect(await status()).toMatchObject([
      1,
      { autostart: false },
      expect.stringContaining('microvm.autostart = [ "vm-hermes" ];'),
    ]);
    host.set("wants", `microvm@${GUEST}.service`);
    host.set("hermes-down");
    expect(await status()).toMatchObject([
      1,
      { version: null },
      expect.stringContaining("hermes.service is activating"),
    ]);
    host.unset("hermes-down");
    rmSync(join(host.state, "booted"));
    expect(await status()).toMatchObject([
      1,
      { bootedIsCurrent: false },
      expect.stringContaining("what runs is not what was built last"),
    ]);
    host.set(`active.microvm@${GUEST}.service`, "failed\n");
    expect(await status()).toMatchObject([1, { state: "failed" }, expect.stringContaining("is failed")]);
  });
});

describe("destroying", () => {
  beforeEach(() => host.restore("deployed"));
  const roots = (): readonly string[] => readdirSync(host.gcRoots);

  test("keeps the persistent images, the known key and the probe's key, and names the images", async () => {
    writeFileSync(images("hermes.img"), "memories", { flag: "r+" });
    const { status, stdout } = await host.run(["destroy", GUEST, "keep-data"]);
    expect(status).toBe(0);
    const kept = ["hermes.img", "state.img"].map(
      (name) => `/var/lib/hermes-microvm/guests/${GUEST}/images/${name}`,
    );
    expect(JSON.parse(stdout)).toEqual({ guest: GUEST, removed: true, kept });
    expect(existsSync(host.state)).toBe(false);
    expect(roots()).toEqual([]);
    expect(readdirSync(host.base).sort()).toEqual([
      "images",
      "known_hosts",
      "lock",
      "probe-key",
      "probe.pub",
      "revisions",
    ]);
    expect(host.read(images("hermes.img"))).toMatch(/^memories/);
    const again = await host.run(["destroy", GUEST, "keep-data"]);
    expect([again.status, JSON.parse(again.stdout)]).toEqual([0, { guest: GUEST, removed: false, kept }]);
    await deployed(V2);
    inForce("0.20.0");
    expect(host.read(images("hermes.img"))).toMatch(/^memories/);
  });

  test("deletes the data only when told so in words, and can be repeated", async () => {
    for (const removed of [true, false]) {
      const { status, stdout } = await host.run(["destroy", GUEST, "delete-data"]);
      expect([status, JSON.parse(stdout)]).toEqual([0, { guest: GUEST, removed, kept: [] }]);
      expect([existsSync(host.base), existsSync(host.state), roots()]).toEqual([false, false, []]);
    }
  });

  test("cut short in the middle of the guest's folder, is finished by the next run", async () => {
    const real = execFileSync("/bin/sh", ["-c", "command -v rm"]).toString().trim();
    const folder = join(host.folder, "cut");
    mkdirSync(folder);
    // It removes the pointer first when it may, and dies at the rest.
    const rm = [
      "#!/bin/sh",
      `case "$*" in *${host.state}/current*) ;; *) exec ${real} "$@" ;; esac`,
      `for path; do case $path in */flake) ${real} "$path" ;; esac; done`,
      'kill -s KILL -- "-$KILL_GROUP"',
    ];
    writeFileSync(join(folder, "rm"), `${rm.join("\n")}\n`, { mode: 0o755 });
    const path = `${folder}:${join(import.meta.dirname, "doubles")}:${process.env["PATH"]}`;
    const cut = await host.run(["destroy", GUEST, "keep-data"], { env: { PATH: path } });
    expect([cut.status, existsSync(join(host.state, "current"))]).toEqual([null, true]);
    expect((await host.run(["destroy", GUEST, "keep-data"])).status).toBe(0);
    expect(existsSync(host.state)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  test("removes nothing when the guest does not stop", async () => {
    host.set("stop-fails");
    const { status, stderr } = await host.run(["destroy", GUEST, "delete-data"]);
    expect(status).toBe(1);
    expect(stderr).toContain("timed out.; nothing was removed");
    inForce("0.19.0");
  });

  test("removes nothing when the guest runs on after a stop that claims to have worked", async () => {
    host.set("stop-lies");
    const { status, stderr } = await host.run(["destroy", GUEST, "delete-data"]);
    expect(status).toBe(1);
    expect(stderr).toContain(
      `microvm@${GUEST}.service is still active after \`systemctl stop\`; nothing was removed`,
    );
    inForce("0.19.0");
  });

  test("says that the host's autostart line can go", async () => {
    expect((await host.run(["destroy", GUEST, "keep-data"])).stderr).toContain("the line can go");
  });
});

describe("several at once, and cut connections", () => {
  /** Resolves when the double has begun a build, which lasts until the test lets it end. */
  const building = async (): Promise<void> => {
    for (let tries = 0; host.calls(/^microvm/).length === 0; tries++) {
      if (tries > 500) throw new Error("no build began");
      await sleep(10);
    }
  };

  test("two activations run one after the other, and the second says that it waits", async () => {
    host.set("build-waits");
    await host.stage(V1);
    const first = host.activate(V1);
    await building();
    const second = host.activate(V1);
    await sleep(200);
    host.unset("build-waits");
    const [one, two] = await Promise.all([first, second]);
    expect([one.status, two.status]).toEqual([0, 0]);
    expect(one.stderr).not.toContain("waiting up to");
    expect(two.stderr).toContain("another hermes-microvm is at work on vm-hermes; waiting up to 600 s");
    expect(
      [one.stdout, two.stdout].map((text) => (JSON.parse(text) as { restarted: boolean }).restarted),
    ).toEqual([true, false]);
    expect(restarts()).toBe(1);
  });

  test("a build that outlives its killed activation is waited for", async () => {
    host.set("build-waits");
    await host.stage(V1);
    let tool: ChildProcess | undefined;
    const first = host.activate(V1, {}, { onSpawn: (child) => (tool = child) });
    await building();
    tool?.kill("SIGKILL");
    expect((await first).status).toBe(null);
    const second = host.activate(V1);
    await sleep(300);
    expect(host.calls(/^microvm/)).toHaveLength(1);
    host.unset("build-waits");
    expect((await second).status).toBe(0);
    inForce("0.19.0");
  });

  test("waiting has an end", async () => {
    await host.stage(V1);
    const flock = execFileSync("/bin/sh", ["-c", "command -v flock"]).toString().trim();
    const folder = join(host.folder, "quick");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "flock"),
      `#!/bin/sh\n[ "$1 $2" != "-w 600" ] || { shift 2; set -- -w 1 "$@"; }\nexec ${flock} "$@"\n`,
      { mode: 0o755 },
    );
    host.set("build-waits");
    const first = host.activate(V1);
    await building();
    const doubles = join(import.meta.dirname, "doubles");
    const { status, stderr } = await host.activate(
      V1,
      {},
      { env: { PATH: `${folder}:${doubles}:${process.env["PATH"]}` } },
    );
    expect(status).toBe(1);
    expect(stderr).toContain("has been at work for 600 s");
    host.unset("build-waits");
    await first;
  });

  test("a connection that is cut during the build does not stop the work", async () => {
    host.set("build-waits");
    await host.stage(V1);
    const first = host.activate(
      V1,
      {},
      {
        onSpawn: (child) => {
          void building().then(() => {
            child.stdout?.destroy();
            child.stderr?.destroy();
            child.kill("SIGHUP");
            host.unset("build-waits");
          });
        },
      },
    );
    await first.catch(() => undefined);
    for (let tries = 0; !existsSync(join(host.base, "applied")) && tries < 500; tries++) await sleep(10);
    // It may still be at its last steps: the next one waits for it.
    expect((await host.activate(V1)).stdout).toContain('"restarted":false');
    inForce("0.19.0");
  });

  test("a lock that was removed while it was waited for is not taken for the lock", async () => {
    await host.stage(V1);
    const lock = join(host.base, "lock");
    const holder = spawn("flock", [lock, "-c", "echo held; read _"], { stdio: ["pipe", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    const flake = V1["flake.nix"] ?? "";
    const waiting = host.run(["stage", GUEST, "flake.nix", digest(flake)], {
      input: flake,
      onSpawn: (child) => {
        child.stderr?.once("data", () => {
          rmSync(lock);
          holder.stdin.end("\n");
        });
      },
    });
    const { status, stderr } = await waiting;
    expect([status, stderr]).toEqual([0, expect.stringContaining("waiting up to 600 s")]);
    expect(existsSync(lock)).toBe(true);
  });

  test("a guest destroyed with its lock while another waits is made anew under a lock of its own", async () => {
    await deployed();
    host.set("build-waits");
    await host.stage(V2);
    const holder = host.activate(V2);
    for (let tries = 0; host.calls(/^microvm -u/).length === 0 && tries < 500; tries++) await sleep(10);
    const destroy = host.run(["destroy", GUEST, "delete-data"]);
    await sleep(100);
    host.unset("build-waits");
    expect((await holder).status).toBe(0);
    expect((await destroy).status).toBe(0);
    expect(existsSync(host.base)).toBe(false);
    await deployed();
    inForce("0.19.0");
  });
});
