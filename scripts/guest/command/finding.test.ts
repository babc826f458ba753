import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { type Host, hostsOf, SHELLS } from "./machine.ts";

const user = userInfo().username;

describe.each(SHELLS)("finding the container, under $name:", ({ shell }) => {
  const make = hostsOf(shell);
  /** Podman's container is root's, and this user does not see it. */
  const rootful = (metadata: Readonly<Record<string, string>> = {}): Host => {
    const host = make({ seconds: 2 });
    host.container("absent");
    host.container("running", "root");
    host.metadata(metadata);
    return host;
  };
  const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    const before = performance.now();
    return [await work, performance.now() - before];
  };

  test("it is looked for as the user first, and sudo is not asked when it is the user's", async () => {
    const host = make();
    host.sudo();
    expect((await host.run()).status).toBe(0);
    expect([host.calls.map(({ root }) => root), host.told("sudo-calls")]).toEqual([[false], ""]);
  });

  test("one that only root sees is reached by sudo -n, without the metadata saying so", async () => {
    const host = rootful();
    host.sudo();
    const { status, stdout, stderr } = await host.run(["version"]);
    expect([status, stderr.toString()]).toEqual([0, ""]);
    expect(JSON.parse(stdout.toString())).toMatchObject({ args: ["version"] });
    expect(host.attempts.map(({ root }) => root)).toEqual([false, true]);
    expect(host.starts).toHaveLength(1);
  });

  test("with the metadata's owner no probing is needed", async () => {
    const host = rootful({ owner: "root" });
    host.sudo();
    expect((await host.run()).status).toBe(0);
    expect(host.calls).toHaveLength(1);
    expect(host.calls[0]).toMatchObject({ root: true });
  });

  test("one that only root sees is reached by sudo, too, when the metadata name a third user", async () => {
    const host = rootful({ owner: `not-${user}` });
    host.sudo();
    const { status, stderr } = await host.run();
    expect([status, stderr.toString(), host.starts.length]).toEqual([0, "", 1]);
    expect(host.attempts.map(({ root }) => root)).toEqual([false, true]);
  });

  test("for root nothing needs sudo, whatever the metadata say", async () => {
    for (const metadata of [{}, { owner: "root" }]) {
      const host = make({ caller: "root" });
      host.container("absent");
      host.container("running", "root");
      host.metadata(metadata);
      expect((await host.run()).status).toBe(0);
      expect(host.calls).toHaveLength(1);
    }
  });

  test("docker's one daemon is asked as the user, though its containers are root's", async () => {
    const host = make({ backend: "docker" });
    host.metadata({ owner: "root" });
    host.sudo("refuse");
    expect((await host.run()).status).toBe(0);
    expect([host.calls.length, host.told("sudo-calls")]).toEqual([1, ""]);
  });

  test.each([[{}], [{ owner: "root" }]])(
    "where docker's daemon is not for this user, sudo -n is tried (%j)",
    async (metadata) => {
      const host = make({ backend: "docker" });
      host.metadata(metadata);
      host.tell("denied", "yes");
      host.sudo();
      const { status, stderr } = await host.run();
      expect([status, stderr.toString(), host.starts.length]).toEqual([0, "", 1]);
    },
  );

  test("a sudo rule for exactly the runtime's path is enough", async () => {
    for (const metadata of [{}, { owner: "root" }]) {
      const host = rootful(metadata);
      host.sudo(host.at("bin/podman"));
      expect((await host.run()).status).toBe(0);
    }
  });

  describe("without a sudo rule", () => {
    const cases: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, (host: Host) => void]> = [
      ["sudo refuses", {}, (host) => host.sudo("refuse")],
      ["sudo refuses, and the metadata name root", { owner: "root" }, (host) => host.sudo("refuse")],
      [
        "sudo refuses, and the metadata name a third user",
        { owner: `not-${user}` },
        (host) => host.sudo("refuse"),
      ],
      ["sudo is not installed", {}, () => undefined],
      ["sudo is not installed, and the metadata name root", { owner: "root" }, () => undefined],
    ];

    test.each(cases)(
      "(%s) the error comes at once, with the sudoers line to add",
      async (_, metadata, prepare) => {
        const host = rootful(metadata);
        prepare(host);
        const [{ status, stdout, stderr }, milliseconds] = await timed(host.run());
        expect(stderr.toString()).toMatch(
          new RegExp(`^hermes: the container box is not ${user}'s, and sudo does not let ${user} run `),
        );
        expect(stderr.toString()).toContain(`\n  ${user} ALL=(root) NOPASSWD: ${host.at("bin/podman")}\n`);
        expect(stderr.toString()).toContain("/etc/sudoers.d/hermes");
        expect([status, stdout.toString(), host.starts]).toEqual([1, "", []]);
        expect(milliseconds).toBeLessThan(1_500);
      },
    );

    test.each(["etc-NIXOS", "nixos-version"])(
      "on NixOS (%s is there) it has the form of an option, with the path that an upgrade leaves",
      async (name) => {
        const host = rootful();
        mkdirSync(host.at("system"));
        writeFileSync(host.at("system", name), "", { mode: 0o755 });
        const runtime = host.doubleAt(host.at("system/podman"), "runtime", "podman");
        const { status, stderr } = await host.run();
        expect(stderr.toString()).toContain("security.sudo.extraRules = [{");
        expect(stderr.toString()).toContain(`users = [ "${user}" ];`);
        expect(stderr.toString()).toContain(`command = "${runtime}"; options = [ "NOPASSWD" ];`);
        expect(stderr.toString()).not.toContain("sudoers");
        expect(status).toBe(1);
      },
    );

    test("on a terminal, too, it comes at once", async () => {
      const host = rootful();
      host.sudo("refuse");
      const terminal = host.terminal();
      const [ended, milliseconds] = await timed(terminal.ended());
      expect(ended).toBe("exit 1");
      expect(terminal.stdout).toContain("NOPASSWD:");
      expect(milliseconds).toBeLessThan(1_500);
    });

    test("what sudo said is not taken for the runtime's", async () => {
      const host = rootful({ owner: "root" });
      host.sudo("refuse");
      expect((await host.run()).stderr.toString()).not.toContain("podman said: sudo:");
    });
  });

  test("the runtime of /run/current-system is used before one on PATH, by the path that a rule names", async () => {
    const host = rootful({ owner: "root" });
    mkdirSync(host.at("system"));
    host.doubleAt(host.at("system/podman"), "runtime", "podman");
    host.executable(host.at("bin/podman"), "#!/bin/sh\nexit 64\n");
    host.sudo(host.at("system/podman"));
    expect((await host.run()).status).toBe(0);
  });

  test.each(["podman", "docker"] as const)(
    "where %s is not installed the error names it, at once",
    async (backend) => {
      const host = make({ backend });
      rmSync(host.at("bin", backend));
      const [{ status, stderr }, milliseconds] = await timed(host.run());
      expect(stderr.toString()).toMatch(
        new RegExp(`^hermes: ${backend} is not installed[^\\n]*box[^\\n]*\\n$`),
      );
      expect(status).toBe(1);
      expect(milliseconds).toBeLessThan(1_000);
    },
  );

  test("where setsid is not on PATH the error names it, at once", async () => {
    const host = make();
    rmSync(host.at("tools/setsid"));
    const [{ status, stderr }, milliseconds] = await timed(host.run());
    expect(stderr.toString()).toMatch(/^hermes: setsid is not on PATH[^\n]*\n$/);
    expect([status, host.calls]).toEqual([1, []]);
    expect(milliseconds).toBeLessThan(1_000);
  });
});
