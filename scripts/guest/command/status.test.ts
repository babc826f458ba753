import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Host, hostsOf, SHELLS } from "./machine.ts";
import { isAlive, Terminal, until } from "./running.ts";

const CODES = [0, 1, 2, 125, 126, 127, 130, 137, 143, 255];

describe.concurrent.each(SHELLS)("the program's own status, under $name,", ({ shell }) => {
  const make = hostsOf(shell);

  describe.each(["podman", "docker"] as const)("with %s:", (backend) => {
    test.each(CODES)("%i is passed on without a terminal; the program is started once", async (code) => {
      const host = make({ backend });
      host.program(`echo out; echo err >&2; exit ${code}`);
      const { status, stdout, stderr } = await host.run();
      expect([status, stdout.toString(), stderr.toString()]).toEqual([code, "out\n", "err\n"]);
      expect([host.starts.length, host.attempts.length, host.leftovers]).toEqual([1, 1, []]);
    });

    test.each(CODES)("%i is passed on on a terminal; the program is started once", async (code) => {
      const host = make({ backend });
      host.program(`echo out; exit ${code}`);
      const terminal = host.terminal();
      expect(await terminal.ended()).toBe(`exit ${code}`);
      expect(terminal.stdout).toBe("out\r\n");
      expect([host.starts.length, host.attempts.length, host.leftovers]).toEqual([1, 1, []]);
    });

    test("a program that ends by a signal has that signal's status", async () => {
      const host = make({ backend });
      for (const [signal, code] of [
        ["TERM", 143],
        ["KILL", 137],
        ["SEGV", 139],
      ] as const) {
        host.program(`kill -${signal} $$`);
        const { status, stderr } = await host.run();
        expect([status, stderr.toString()]).toEqual([code, ""]);
      }
    });
  });

  test.each(["Error: no such container", "Error: container state improper", "Error response from daemon: x"])(
    "a program that itself says %j is not taken for the runtime",
    async (words) => {
      for (const code of [1, 125, 255]) {
        const host = make();
        host.program(`echo '${words}' >&2; exit ${code}`);
        const { status, stderr } = await host.run();
        expect([status, stderr.toString(), host.starts.length]).toEqual([code, `${words}\n`, 1]);
      }
    },
  );

  test.each(["pipe", "terminal"])(
    "a container that is replaced while the program runs ends the command with 137, not repeated (%s)",
    async (mode) => {
      const host = make();
      host.program("echo started; while :; do sleep 0.1; done");
      const running = mode === "pipe" ? host.start() : host.terminal();
      await until(() => running.stdout !== "", "the program's first word");
      host.container("absent");
      const leader = host.starts[0] ?? 0;
      process.kill(leader, "SIGKILL");
      running.end();
      const { status } = await running.result;
      expect(running instanceof Terminal ? await running.ended() : `exit ${status}`).toBe("exit 137");
      expect(host.starts.length).toBe(1);
      expect(isAlive(leader)).toBe(false);
    },
  );

  test("what the program writes right before its end is not lost", async () => {
    const host = make();
    host.program("i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); echo out $i; echo err $i >&2; done; exit 9");
    const { status, stdout, stderr } = await host.run();
    expect([status, stdout.toString().split("\n").length, stderr.toString().split("\n").length]).toEqual([
      9, 2_001, 2_001,
    ]);
  });

  describe("on a terminal, words beside a status that is not 0:", () => {
    const rootful = (): Host => make().rootful();
    const UNRESOLVED = "sudo: unable to resolve host guest: Name or service not known";
    const LEVEL = 'time="2026-01-02T03:04:05Z" level=warning msg="Error validating CNI config file"';
    const WARNINGS: ReadonlyArray<readonly [string, string, () => Host]> = [
      ["sudo-warning", UNRESOLVED, rootful],
      ["warning", LEVEL, () => make()],
      ["warning", LEVEL, rootful],
      [
        "warning",
        "WARNING: Error loading config file: /home/a/.docker/config.json",
        () => make({ backend: "docker" }),
      ],
    ];

    test.each(WARNINGS)(
      "a %s (%s) is shown, and the program is started once",
      async (name, words, prepare) => {
        const host = prepare();
        host.program("echo out; exit 3");
        host.tell(name, `${words}\n`);
        const terminal = host.terminal();
        expect(await terminal.ended()).toBe("exit 3");
        expect(terminal.stdout).toContain(words);
        expect([terminal.stdout.split("out\r\n").length, host.starts.length]).toEqual([2, 1]);
        expect(host.leftovers).toEqual([]);
      },
    );

    /** The client says a last word and goes; the program would be done long before anybody stops waiting. */
    const lost = async (
      prepare: (host: Host, token: string) => void,
      words: string,
    ): Promise<readonly unknown[]> => {
      const host = make({ secondsOnTerminal: 8 });
      host.program("echo out; sleep 1");
      const terminal = host.terminal();
      await until(() => terminal.stdout !== "", "the program's first word");
      prepare(host, host.tokens[0] ?? "");
      host.tell("lost", `255 ${words}`);
      const ended = await terminal.ended();
      expect(terminal.stdout).toContain(words);
      return [ended, host.starts.length];
    };
    const replaced = (_: Host, token: string): void => rmSync(`/tmp/.hermes-exec-${token}`);

    test("a container that is removed while the program runs fails, and nothing is run twice", async () => {
      expect(await lost(replaced, "Error: container has already been removed")).toEqual(["exit 255", 1]);
    });

    test("a client that is lost while the program runs on fails, and nothing is run twice", async () => {
      expect(await lost(() => undefined, "Error: unexpected EOF")).toEqual(["exit 255", 1]);
    });

    test("a program that ran longer than anybody waits is not run twice, whatever is said", async () => {
      const host = make({ secondsOnTerminal: 1 });
      host.program("echo out; sleep 5");
      const terminal = host.terminal();
      await until(() => terminal.stdout !== "", "the program's first word");
      await delay(2_100);
      replaced(host, host.tokens[0] ?? "");
      host.tell("lost", "255 Error: something else entirely");
      expect([await terminal.ended(), host.starts.length]).toEqual(["exit 255", 1]);
    });
  });

  test.each([
    ["pipe", "file"],
    ["pipe", "FIFO"],
    ["terminal", "file"],
    ["terminal", "FIFO"],
  ])(
    "(%s) another user's %s in /tmp, of the name that the runtime's words would have, is ignored",
    async (mode, kind) => {
      const host = make();
      // Elsewhere it cannot be given away.
      if (kind === "file" && process.getuid?.() !== 0) host.change('[ -O "$failure" ]', "false");
      host.tell("plant", kind);
      host.program("echo out; exit 3");
      const options = { env: { XDG_RUNTIME_DIR: "" } };
      const running = mode === "pipe" ? host.start([], options) : host.terminal([], options);
      if (mode === "pipe") running.end();
      try {
        const { status } = await running.result;
        expect(running instanceof Terminal ? await running.ended() : `exit ${status}`).toBe("exit 3");
        expect([running.stdout.trim(), running.stderr]).toEqual(["out", ""]);
        expect([host.starts.length, host.attempts.length]).toEqual([1, 1]);
        // It was there.
        expect(host.leftovers).toEqual([`hermes-${host.tokens[0]}`]);
      } finally {
        for (const token of host.tokens) rmSync(`/tmp/hermes-${token}`, { force: true });
      }
    },
    10_000,
  );
});
