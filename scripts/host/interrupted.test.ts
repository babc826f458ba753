import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digest, GUEST, Host, keyOf, type Texts, texts } from "./fixture.ts";

// Before every command that changes something the whole process group is killed, then the same is run again:
// nothing may be lost on the way, and the end must be the one of a run that was not disturbed.

const V1 = texts("0.19.0");
const V2 = texts("0.20.0");
const FAILING = texts("0.20.0", { "container.nix": "version 0.20.0\nHERMES-FAILS\n" });
const BROKEN = texts("0.20.0", { "container.nix": "version 0.20.0\nTHROW\n" });

const base = (host: Host, path: string): string => join(host.base, path);

/**
 * Runs `interrupt` on two hosts at a time, killed before its first step, its second…, until one was not killed any
 * more; returns before what each was killed. With `from`, it begins at the first step that is that command.
 */
async function everywhere(
  prepare: (host: Host) => Promise<void>,
  interrupt: (host: Host, killAt: number) => Promise<{ readonly status: number | null }>,
  judge: (host: Host) => Promise<void>,
  from?: string,
): Promise<readonly string[]> {
  let next = 1;
  let finished = false;
  const killed: string[] = [];
  const worker = async (host: Host): Promise<void> => {
    while (!finished) {
      const killAt = next++;
      host.restore("prepared");
      const { status } = await interrupt(host, killAt);
      const before = host.told("killed-before");
      if (before === "") {
        finished = true;
      } else {
        expect(status, `killed before ${before}`).toBe(null);
        killed.push(before.split(" ")[0] ?? "");
      }
      await judge(host).catch((error: unknown) => {
        throw new Error(`killed before step ${killAt}: ${before}`, { cause: error });
      });
      expect(host.told("refused")).toBe("");
    }
  };
  const [one, two] = [new Host(), new Host()];
  try {
    for (const host of [one, two]) {
      await prepare(host);
      host.save("prepared");
    }
    if (from !== undefined) {
      await interrupt(one, 0);
      next = 1 + one.told("steps").split("\n").indexOf(from);
      expect(next).toBeGreaterThan(1);
    }
    await Promise.all([worker(one), worker(two)]);
  } finally {
    one.remove();
    two.remove();
  }
  return killed;
}

const prepareV1 = async (host: Host): Promise<void> => {
  const { status, stderr } = await host.deploy(V1);
  expect(status, stderr).toBe(0);
  writeFileSync(base(host, "images/hermes.img"), "memories", { flag: "r+" });
};

function nothingLost(host: Host): void {
  expect(host.read(base(host, "images/hermes.img"))).toMatch(/^memories/);
  expect(host.read(base(host, "images/state.img"))).toMatch(/^image1\n/);
}

/** The record is the old one or the new one, and what it names is there. */
function recordIsWhole(host: Host): string | undefined {
  if (!existsSync(base(host, "applied"))) return undefined;
  const record = host.read(base(host, "applied"));
  expect(record).toMatch(
    /^flake=[0-9a-f]{64}\nrunner=\S+\nversion=\S+\nimage=\S*\nssh=\S+\nautostart=\S+\nunit=\S+\nprevious=\S*\nimages=\S+\/state\.img \S+\/hermes\.img \n$/,
  );
  const [, flake, runner] = /flake=(\S+)\nrunner=(\S+)\n/.exec(record) ?? [];
  expect(existsSync(base(host, `flakes/${flake}/container.nix`))).toBe(true);
  expect(existsSync(`${runner}/bin/microvm-run`)).toBe(true);
  return /version=(\S+)/.exec(record)?.[1];
}

/** The end of an undisturbed deployment, with nothing left behind. */
function inForce(host: Host, version: string): void {
  expect(recordIsWhole(host)).toBe(version);
  const [, flake, runner] = /flake=(\S+)\nrunner=(\S+)\n/.exec(host.read(base(host, "applied"))) ?? [];
  expect(host.read(join(host.state, "flake"))).toBe(base(host, `flakes/${flake}`));
  for (const link of [
    join(host.state, "current"),
    join(host.state, "booted"),
    join(host.gcRoots, `applied-${GUEST}`),
  ]) {
    expect(host.link(link), link).toBe(runner);
  }
  expect(readdirSync(host.gcRoots).sort()).toEqual([`applied-${GUEST}`, `booted-${GUEST}`, GUEST].sort());
  expect(host.link(join(host.gcRoots, GUEST))).toBe(join(host.state, "current"));
  expect(readdirSync(base(host, "tmp"))).toEqual([]);
  expect(readdirSync(base(host, "flakes")).filter((name) => name.startsWith("."))).toEqual([]);
  expect(existsSync(base(host, "creating"))).toBe(false);
  expect(host.read(base(host, "known_hosts"))).toBe(`${GUEST} ${keyOf("image1")}\n`);
}

async function ends(host: Host, files: Texts, version: string): Promise<void> {
  const { status, stderr } = await host.deploy(files);
  expect(status, stderr).toBe(0);
  inForce(host, version);
}

describe("killed at any step,", { timeout: 120_000 }, () => {
  test("a first deployment is finished by the next run", async () => {
    const killed = await everywhere(
      (host) => host.stage(V1),
      (host, killAt) => host.activate(V1, {}, { killAt }),
      async (host) => {
        recordIsWhole(host);
        await ends(host, V1, "0.19.0");
      },
    );
    expect(killed).toEqual(
      expect.arrayContaining(["ssh-keygen", "mv", "microvm", "ln", "systemctl", "ssh", "rm"]),
    );
    expect(killed.length).toBeGreaterThan(40);
  });

  test("an update is finished by the next run, or given up by a run of the version before", async () => {
    let turn = 0;
    await everywhere(
      async (host) => {
        await prepareV1(host);
        await host.stage(V2);
      },
      (host, killAt) => host.activate(V2, {}, { killAt }),
      async (host) => {
        nothingLost(host);
        expect(["0.19.0", "0.20.0"]).toContain(recordIsWhole(host));
        const files = turn++ % 2 === 0 ? V2 : V1;
        await ends(host, files, files === V2 ? "0.20.0" : "0.19.0");
        nothingLost(host);
      },
      // The steps before put the new texts together, as in the test above.
      "ssh",
    );
  });

  test("an update that fails, and its way back, leave a guest that the next run sets right", async () => {
    let turn = 0;
    await everywhere(
      async (host) => {
        await prepareV1(host);
        await host.stage(FAILING);
      },
      (host, killAt) => host.activate(FAILING, {}, { killAt }),
      async (host) => {
        expect(recordIsWhole(host)).toBe("0.19.0");
        if (turn++ % 2 === 0) {
          // The same again: it fails again, and the way back is found again.
          const { status, stderr } = await host.activate(FAILING);
          expect(status).toBe(1);
          expect(stderr).toContain("The previous version (0.19.0) is back and ready");
          inForce(host, "0.19.0");
        }
        await ends(host, V1, "0.19.0");
        nothingLost(host);
      },
      // The steps before are those of the test above.
      "systemctl",
    );
  });

  test("an update whose build fails leaves what runs alone", async () => {
    await everywhere(
      async (host) => {
        await prepareV1(host);
        await host.stage(BROKEN);
        host.set("calls");
      },
      (host, killAt) => host.activate(BROKEN, {}, { killAt }),
      async (host) => {
        const { stderr } = await host.activate(BROKEN);
        expect(stderr).toContain("the build failed");
        inForce(host, "0.19.0");
        expect(host.calls(/restart /)).toEqual([]);
      },
      "ssh",
    );
  });

  test("a destruction that keeps the data is finished by the next run, and so is a new deployment after it", async () => {
    let turn = 0;
    await everywhere(
      prepareV1,
      (host, killAt) => host.run(["destroy", GUEST, "keep-data"], { killAt }),
      async (host) => {
        nothingLost(host);
        if (turn++ % 2 === 0) {
          const { status, stderr } = await host.run(["destroy", GUEST, "keep-data"]);
          expect(status, stderr).toBe(0);
          expect(existsSync(host.state)).toBe(false);
          expect(readdirSync(host.gcRoots)).toEqual([]);
          expect(readdirSync(host.base).sort()).toEqual([
            "images",
            "known_hosts",
            "lock",
            "probe-key",
            "probe.pub",
            "revisions",
          ]);
        } else {
          await ends(host, V2, "0.20.0");
        }
        nothingLost(host);
      },
    );
  });

  test("a destruction with the data is finished by the next run", async () => {
    await everywhere(
      prepareV1,
      (host, killAt) => host.run(["destroy", GUEST, "delete-data"], { killAt }),
      async (host) => {
        const { status, stderr } = await host.run(["destroy", GUEST, "delete-data"]);
        expect(status, stderr).toBe(0);
        expect([existsSync(host.base), existsSync(host.state), readdirSync(host.gcRoots)]).toEqual([
          false,
          false,
          [],
        ]);
      },
    );
  });

  test("staging keeps the old text or has the new one, and no revision is given to two texts", async () => {
    await everywhere(
      (host) => host.stage({ "a.nix": "one\n" }),
      (host, killAt) => host.run(["stage", GUEST, "a.nix", digest("two\n")], { input: "two\n", killAt }),
      async (host) => {
        expect(["one\n", "two\n"]).toContain(host.read(base(host, "staged/a.nix")));
        const { stdout } = await host.run(["stage", GUEST, "a.nix", digest("two\n")], { input: "two\n" });
        expect((JSON.parse(stdout) as { revision: number }).revision).toBeGreaterThan(1);
        expect(host.read(base(host, "staged/a.nix"))).toBe("two\n");
      },
    );
  });
});
