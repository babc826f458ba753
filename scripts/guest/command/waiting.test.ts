import { renameSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { CONTROLS, type Host, hostsOf, SHELLS } from "./machine.ts";
import { type Running, Terminal, until } from "./running.ts";

const IMPROPER = "Error: can only create exec sessions on running containers: container state improper";

// Mostly they sleep.
describe.concurrent.each(SHELLS)("a container that is down, under $name:", ({ shell }) => {
  const make = hostsOf(shell);
  const seconds = async (work: Promise<unknown>): Promise<number> => {
    const before = performance.now();
    await work;
    return (performance.now() - before) / 1_000;
  };

  test.each([
    ["podman", "absent", 'podman said: Error: no container with name or ID "box" found: no such container'],
    ["podman", "exited", `podman said: ${IMPROPER}`],
    ["docker", "absent", "docker said: Error response from daemon: No such container: box"],
    ["docker", "exited", "docker said: Error response from daemon: container box is not running"],
  ] as const)(
    "%s, %s: it is tried again until the time is up, then fails with the runtime's words",
    async (backend, state, says) => {
      const host = make({ backend, seconds: 1, caller: "root" });
      host.container(state, "root");
      const { status, stdout, stderr } = await host.run();
      expect(stderr.toString()).toMatch(/^hermes: the container box did not take the command within 1 s\. /);
      expect(stderr.toString()).toContain(says);
      expect([status, stdout.toString(), host.starts]).toEqual([1, "", []]);
      expect(host.attempts.length).toBeGreaterThan(1);
      expect(host.leftovers).toEqual([]);
    },
  );

  describe.each(["pipe", "terminal"])("(%s)", (mode) => {
    const started = (host: Host): Running => (mode === "pipe" ? host.start() : host.terminal());

    test.each([
      "125 Error: something else entirely",
      "126 Error: crun: open executable: Permission denied: OCI permission denied",
      "127 Error: crun: executable file `/bin/sh` not found: No such file or directory",
      "255 Error: crun: writing file `/sys/fs/cgroup/cgroup.procs`: No such process: OCI runtime error",
      "1 Error response from daemon: Container 0123abcd is restarting, wait until the container is running",
      "1 Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      "2 panic: runtime error: invalid memory address or nil pointer dereference",
    ])("the runtime's failure %j is tried again, whatever its code", async (down) => {
      const host = make({ secondsOnTerminal: 8 });
      host.program("echo here; cat > /dev/null; exit 3");
      host.tell("down", down);
      const running = started(host);
      await until(() => host.attempts.length > 1, "a second attempt");
      rmSync(host.at("state/down"));
      await until(() => running.stdout.includes("here"), "the program's word");
      running.type("\u0004");
      running.end();
      const { status } = await running.result;
      expect(running instanceof Terminal ? await running.ended() : `exit ${status}`).toBe("exit 3");
      expect([running.stderr, host.starts.length]).toEqual(["", 1]);
    });

    test.each([
      ["podman", "absent"],
      ["podman", "exited"],
      ["docker", "absent"],
      ["docker", "exited"],
    ] as const)("%s, %s: it is tried again, and the program is started once", async (backend, state) => {
      const host = make({ backend, secondsOnTerminal: 8, caller: "root" });
      host.container(state, "root");
      host.program("echo here; exit 3");
      const running = started(host);
      await until(() => host.attempts.length > 1, "a second attempt");
      host.container("running", "root");
      const { status } = await running.result;
      expect(running instanceof Terminal ? await running.ended() : `exit ${status}`).toBe("exit 3");
      expect(running.stdout).toContain("here");
      expect([running.stderr, host.starts.length, host.leftovers]).toEqual(["", 1, []]);
    });
  });

  test("one that appears after a second takes the command, and nothing is said of the wait", async () => {
    for (const state of ["absent", "exited"] as const) {
      const host = make({ seconds: 5 });
      host.metadata({ owner: "alice" });
      host.executable(host.at("bin", "id"), "#!/bin/sh\necho alice\n");
      host.program("cat; exit 3");
      host.container(state);
      const running = host.start([], { input: "kept for the program\n" });
      await delay(1_000);
      host.container("running");
      const { status, stdout, stderr } = await running.result;
      expect([status, stdout.toString(), stderr.toString()]).toEqual([3, "kept for the program\n", ""]);
      expect([host.starts.length, host.leftovers]).toEqual([1, []]);
    }
  });

  // Root may write where the kernel then takes no file.
  test.each([
    ["pipe", "/proc"],
    ["pipe", "/absent"],
    ["terminal", "/absent"],
  ])(
    "(%s) it is waited for where nothing can be written in XDG_RUNTIME_DIR, %s, and the runtime's words are shown",
    async (mode, folder) => {
      const options = { env: { XDG_RUNTIME_DIR: folder } };
      const start = (host: Host): Running => {
        const running = mode === "pipe" ? host.start([], options) : host.terminal([], options);
        if (mode === "pipe") running.end();
        return running;
      };
      const host = make({ seconds: 1, secondsOnTerminal: 2 });
      host.container("exited");
      const failing = start(host);
      await failing.result;
      expect(host.attempts.length).toBeGreaterThan(1);
      expect(failing.stdout + failing.stderr).toContain("container state improper");
      expect(failing.stdout + failing.stderr).toContain("the container box did not take the command within");
      const appearing = make({ seconds: 20, secondsOnTerminal: 20 });
      appearing.container("exited");
      const running = start(appearing);
      await until(() => appearing.attempts.length > 1, "a second attempt");
      appearing.container("running");
      const { status } = await running.result;
      expect(running instanceof Terminal ? await running.ended() : `exit ${status}`).toBe("exit 0");
      expect(appearing.starts).toHaveLength(1);
    },
  );

  test("a user that the container does not have yet is waited for", async () => {
    const host = make();
    host.tell("users", "root");
    const running = host.start();
    running.end();
    await until(() => host.attempts.length > 1, "a second attempt");
    host.tell("users", "hermes");
    expect((await running.result).status).toBe(0);
    expect(running.stderr).toBe("");
  });

  test("a user that never comes is named in the runtime's words", async () => {
    const host = make({ seconds: 1 });
    host.metadata({ exec_user: "ghost" });
    const { status, stderr } = await host.run();
    expect(stderr.toString()).toContain("unable to find user ghost: no matching entries in passwd file");
    expect(status).toBe(1);
  });

  test.each(["pipe", "terminal"])("a program that is not there yet is waited for (%s)", async (mode) => {
    const host = make({ secondsOnTerminal: 8 });
    renameSync(host.bin, `${host.bin}.later`);
    const running = mode === "pipe" ? host.start() : host.terminal();
    await until(() => host.attempts.length > 1, "a second attempt");
    renameSync(`${host.bin}.later`, host.bin);
    running.end();
    await running.result;
    expect(running.stdout).toContain('"args"');
    expect([host.starts.length, host.leftovers]).toEqual([1, []]);
  });

  test("a program that never comes is named", async () => {
    const host = make({ seconds: 1 });
    host.metadata({ hermes_bin: host.at("opt/absent") });
    const { status, stderr } = await host.run();
    expect(stderr.toString()).toContain(`${host.at("opt/absent")} is not there`);
    expect([status, stderr.toString().split("\n").length > 1]).toEqual([1, true]);
  });

  test("on a terminal a spinner turns for the terminal's time, and is wiped away", async () => {
    const host = make({ secondsOnTerminal: 2, seconds: 60 });
    host.container("exited");
    const terminal = host.terminal();
    expect(await terminal.ended()).toBe("exit 1");
    const turns = terminal.stdout.match(/\r[|/\\-] waiting for the container box/g) ?? [];
    expect(new Set(turns).size).toBeGreaterThan(1);
    expect(terminal.stdout.slice(terminal.stdout.lastIndexOf(turns.at(-1) ?? "-"))).toContain(
      "\r\u001b[Khermes: ",
    );
    expect(terminal.stdout).toContain("within 2 s");
  });

  test("on a terminal a program that starts after all finds a clean line", async () => {
    const host = make({ secondsOnTerminal: 8 });
    host.program("echo here");
    host.container("exited");
    const terminal = host.terminal();
    await until(() => terminal.stdout.includes("waiting"), "the spinner");
    host.container("running");
    expect(await terminal.ended()).toBe("exit 0");
    const after = terminal.stdout.slice(terminal.stdout.lastIndexOf("waiting for the container box"));
    expect(after).toBe("waiting for the container box\r\u001b[Khere\r\n");
  });

  test("without a terminal, or with a pipe out, the wait is the other time, and quiet", async () => {
    const host = make({ secondsOnTerminal: 60, seconds: 1 });
    host.container("exited");
    const piped = host.start();
    piped.end();
    expect(await seconds(piped.result)).toBeLessThan(4);
    expect(piped.stderr).toMatch(/^hermes: [^\r]*$/);
    const terminal = host.terminal([], {}, "input");
    expect(await terminal.ended()).toBe("exit 1");
    expect(terminal.stderr).toContain("within 1 s");
    expect(terminal.stderr).not.toContain("waiting");
    expect(terminal.stdout).toBe("");
  });

  test("it waits as long as it says", async () => {
    const host = make({ seconds: 2 });
    host.container("exited");
    const running = host.start();
    running.end();
    const took = await seconds(running.result);
    expect(took).toBeGreaterThan(1);
    expect(took).toBeLessThan(4);
  });

  test("one that is root's and down is waited for by sudo", async () => {
    const host = make();
    host.container("absent");
    host.container("exited", "root");
    host.sudo();
    const running = host.start();
    running.end();
    await until(() => host.attempts.filter(({ root }) => root).length > 1, "two attempts as root");
    host.container("running", "root");
    expect((await running.result).status).toBe(0);
    expect([running.stderr, host.starts.length]).toEqual(["", 1]);
  });

  describe("the failure at the end", () => {
    const failing = async (prepare: (host: Host) => void): Promise<string> => {
      const host = make({ seconds: 0, caller: "root" });
      host.container("exited", "root");
      host.metadata({ owner: "root", unit: "hermes.service" });
      prepare(host);
      const { status, stderr } = await host.run();
      expect(status).toBe(1);
      return stderr.toString();
    };

    test("has the unit's state and the last line of its journal, where this user may read them", async () => {
      const said = await failing((host) => {
        host.double("systemctl", "systemctl");
        host.double("journalctl", "journalctl");
        host.tell("unit-state", "activating\nauto-restart\n");
        host.tell("journal", "out of disk\n");
      });
      expect(said).toContain("hermes: hermes.service is activating auto-restart\n");
      expect(said).toContain("hermes: last line of its journal: out of disk\n");
      expect(said).not.toContain("sudo journalctl");
    });

    test("has no characters that a terminal obeys from the runtime, the unit or its journal", async () => {
      const said = await failing((host) => {
        host.double("systemctl", "systemctl");
        host.double("journalctl", "journalctl");
        host.tell("down", "125 Error: \u001b[2Jgone\u0007\u007f");
        host.tell("unit-state", "\u001b[31mfailed\nfailed\n");
        host.tell("journal", "\u001b]0;x\u0007out of disk\b\n");
      });
      expect(said).toMatch(/podman said: Error: .*gone/);
      expect(said).toMatch(/hermes\.service is .*failed failed/);
      expect(said).toMatch(/its journal: .*out of disk/);
      expect(said).not.toMatch(CONTROLS);
    });

    test("has the command that shows the journal, where this user may not read it", async () => {
      const said = await failing((host) => {
        host.double("systemctl", "systemctl");
        host.double("journalctl", "journalctl");
        host.tell("unit-state", "failed\nfailed\n");
      });
      expect(said).toContain("hermes: hermes.service is failed failed\n");
      expect(said).toMatch(/sudo journalctl --unit hermes\.service/);
    });

    test.each(["refused", "not installed"])(
      "says no empty state where systemd's tools are %s",
      async (how) => {
        const said = await failing((host) => {
          if (how === "refused") {
            host.double("systemctl", "systemctl");
            host.double("journalctl", "journalctl");
          }
        });
        expect(said).not.toMatch(/hermes\.service is *\n/);
        expect(said).toMatch(/systemctl status hermes\.service|sudo journalctl --unit hermes\.service/);
        expect(said).not.toContain("not found");
      },
    );

    test("has the runtime's words where XDG_RUNTIME_DIR is not there, too, and leaves no file", async () => {
      const host = make({ seconds: 0 });
      host.container("exited");
      const { stderr } = await host.run([], { env: { XDG_RUNTIME_DIR: host.at("absent") } });
      expect(stderr.toString()).toContain(IMPROPER);
      expect(host.leftovers).toEqual([]);
    });

    test("without the metadata's unit names the runtime's own commands", async () => {
      const said = await failing((host) => host.metadata({ owner: "root" }));
      expect(said).toMatch(/podman logs box/);
    });
  });

  test("never falls back to a program of this machine", async () => {
    const host = make({ seconds: 0 });
    host.container("exited");
    const { status, stdout } = await host.run();
    expect([status, stdout.toString(), host.starts]).toEqual([1, "", []]);
  });
});
