import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { findOnPath } from "../../setup/commands.ts";
import { type Host, hostsOf, SHELLS } from "./machine.ts";
import { isAlive, type Terminal, until } from "./running.ts";

const CTRL_C = "\u0003";
const SIZES = `
import fcntl, signal, struct, sys, termios, time
def tell(*_):
    rows, columns = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))[:2]
    print(f"{rows}x{columns}", flush=True)
signal.signal(signal.SIGWINCH, tell)
tell()
while sys.stdin.readline() != "end\\n": pass
`;
const TRAPS = `
trap 'echo got INT; exit 12' INT
trap 'echo got TERM; exit 15' TERM
trap 'echo got HUP >> "$0.hup"; exit 11' HUP
echo ready
while :; do sleep 0.05; done`;

describe.each(SHELLS)("a terminal, under $name:", ({ shell }) => {
  const make = hostsOf(shell);
  const ready = async (terminal: Terminal): Promise<void> => {
    await until(() => terminal.stdout.includes("ready"), "the program is ready");
  };
  const nobodyIsLeft = async (host: Host): Promise<void> => {
    await until(() => host.starts.every((pid) => !isAlive(pid)), "the program has ended", 2_000);
    expect(host.starts.length).toBeGreaterThan(0);
  };

  test("its size reaches the program, and each change of it", async () => {
    const host = make();
    host.python(SIZES);
    const terminal = host.terminal();
    await until(() => terminal.stdout.includes("24x80"), "the first size");
    terminal.resize(50, 132);
    await until(() => terminal.stdout.includes("50x132"), "the second size");
    terminal.resize(10, 40);
    await until(() => terminal.stdout.includes("10x40"), "the third size");
    terminal.type("end\n");
    expect(await terminal.ended()).toBe("exit 0");
  });

  test("Ctrl-C reaches the program, whose last word and status count", async () => {
    const host = make();
    host.program(TRAPS);
    const terminal = host.terminal();
    await ready(terminal);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe("exit 12");
    expect(terminal.stdout).toContain("got INT");
    await nobodyIsLeft(host);
  });

  test.each(["podman", "docker"] as const)(
    "a program that reads keys as they are gets Ctrl-C, and %s's detach keys, as bytes",
    async (backend) => {
      const host = make({ backend });
      host.python(
        'import os, tty\ntty.setraw(0)\nos.write(1, b"ready\\r\\n")\ndata = b""\nwhile len(data) < 6: data += os.read(0, 1)\nprint(list(data), end="\\r\\n")',
      );
      const terminal = host.terminal();
      await ready(terminal);
      terminal.type("\u0003\u0010\u0011\u001c\u001a\u0000");
      expect(await terminal.ended()).toBe("exit 0");
      expect(terminal.stdout).toContain("[3, 16, 17, 28, 26, 0]");
    },
  );

  test("what is typed arrives, and what the program writes is shown once, both streams", async () => {
    const host = make();
    host.program('stty -echo 2> /dev/null; echo ready; read -r line; echo "got $line"; echo err >&2');
    host.tell("path", `${host.at("tools")}:/bin:/usr/bin`);
    const terminal = host.terminal();
    await ready(terminal);
    terminal.type("two  words\r");
    expect(await terminal.ended()).toBe("exit 0");
    expect(terminal.stdout).toContain("got two  words\r\nerr\r\n");
  });

  test.each([
    ["SIGTERM", "exit 15", "got TERM"],
    ["SIGINT", "exit 12", "got INT"],
  ] as const)("%s to the command's process reaches the program", async (signal, ended, word) => {
    const host = make();
    host.program(TRAPS);
    const terminal = host.terminal();
    await ready(terminal);
    terminal.kill(signal);
    expect(await terminal.ended()).toBe(ended);
    expect(terminal.stdout).toContain(word);
    await nobodyIsLeft(host);
  });

  test("SIGHUP to the command's process reaches the program, and nobody is left", async () => {
    const host = make();
    host.program(TRAPS);
    const terminal = host.terminal();
    await ready(terminal);
    terminal.kill("SIGHUP");
    expect(await terminal.ended()).toBe("exit 11");
    await nobodyIsLeft(host);
  });

  test.each(["both", "input"] as const)("a terminal that is closed leaves no orphan (%s)", async (which) => {
    const host = make();
    host.program("echo ready; while :; do sleep 0.05; done");
    const terminal = host.terminal([], {}, which);
    await ready(terminal);
    const { pid } = terminal;
    // The driver holds the other side.
    terminal.child.kill("SIGKILL");
    await nobodyIsLeft(host);
    await until(() => !isAlive(pid), "the command has ended", 2_000);
  });

  test("with a pipe out, Ctrl-C is SIGINT for the program, which may say a last word and choose its status", async () => {
    const host = make();
    host.program("trap 'sleep 0.3; echo last word; exit 12' INT\necho ready\nwhile :; do sleep 0.05; done");
    const terminal = host.terminal([], {}, "input");
    await ready(terminal);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe("exit 12");
    expect(terminal.stdout).toBe("ready\nlast word\n");
    await nobodyIsLeft(host);
  });

  test("with a pipe out, a program that Ctrl-C ends leaves no orphan, and the command ends by it, too", async () => {
    const host = make();
    host.program("echo ready; while :; do sleep 0.05; done");
    const terminal = host.terminal([], {}, "input");
    await ready(terminal);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toMatch(/^(signal 2|exit 130)$/);
    await nobodyIsLeft(host);
  });

  test("Ctrl-C ends the waiting at once, by its signal, and leaves a clean line", async () => {
    const host = make({ secondsOnTerminal: 30 });
    host.container("exited");
    const terminal = host.terminal();
    await until(() => host.attempts.length > 1, "a second attempt");
    terminal.type(CTRL_C);
    // An attempt that is under way holds the terminal a moment longer.
    await until(() => !isAlive(terminal.pid), "the command has ended", 1_000);
    expect(await terminal.ended()).toBe("signal 2");
    expect(terminal.stdout.slice(-4)).toBe("\r\u001b[K");
    await delay(300);
    expect(host.starts).toEqual([]);
  });

  test("Ctrl-C leaves a clean line, too, while the container is looked for", async () => {
    const host = make({ secondsOnTerminal: 30 });
    host.container("exited");
    host.tell("slow-inspect", "0.5");
    const terminal = host.terminal();
    const looking = (): boolean => host.calls.at(-1)?.argv.includes("inspect") ?? false;
    await until(() => host.attempts.length > 1 && looking(), "a look after the first turn");
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe("signal 2");
    expect(terminal.stdout.slice(-4)).toBe("\r\u001b[K");
  });

  test("with a pipe out, Ctrl-C ends the waiting, too", async () => {
    const host = make({ seconds: 30 });
    host.container("exited");
    const terminal = host.terminal([], {}, "input");
    await until(() => host.attempts.length > 1, "a second attempt");
    terminal.type(CTRL_C);
    await until(() => !isAlive(terminal.pid), "the command has ended", 1_000);
    expect(await terminal.ended()).toBe("signal 2");
    expect(terminal.stdout).toBe("");
  });

  test("its settings are afterwards what they were", async () => {
    const host = make();
    host.program("stty raw -echo; exit 3");
    host.tell("path", "/bin:/usr/bin");
    const stty = findOnPath("stty")[0] ?? "";
    host.executable(host.at("around"), `#!/bin/sh\n${stty} -g\n"$@"\n${stty} -g\n`);
    const terminal = host.terminal([], { prefix: [host.at("around")] });
    expect(await terminal.ended()).toBe("exit 0");
    const [before, after] = terminal.stdout.trim().split(/\r?\n/);
    expect(after).toBe(before);
    expect(before).toMatch(/:/);
  });

  describe("an interactive shell, with standard output in a file:", () => {
    const READER = 'echo ready; while read -r line; do echo "got $line"; done; echo end';
    const interactive = async (host: Host): Promise<readonly [Terminal, string, () => string]> => {
      host.program(READER);
      const out = host.at("out");
      const words = [...host.command(["x"]).flat(), ">", out].map((word) =>
        word === ">" ? word : `'${word}'`,
      );
      const env = { PS1: "prompt: ", TERM: "dumb" };
      const terminal = host.onTerminal(["bash", "--norc", "--noprofile", "--noediting", "-i"], { env });
      await until(() => terminal.stdout.includes("prompt: "), "the shell's prompt");
      return [terminal, words.join(" "), () => (existsSync(out) ? readFileSync(out, "utf8") : "")];
    };
    /** Typed for the shell: what it says is not what is echoed. */
    const takesLine = async (terminal: Terminal, word: string): Promise<void> => {
      terminal.type(`echo ${word}-$((40 + 2))\n`);
      await until(() => terminal.stdout.includes(`${word}-42`), "the shell has read the line");
    };
    /** In the foreground again the program reads, to its end. */
    const continues = async (terminal: Terminal, written: () => string): Promise<void> => {
      terminal.type("fg\n");
      await delay(300);
      terminal.type("for the program\n");
      await until(() => written() === "ready\ngot for the program\n", "the program has read the line");
      terminal.type("\u0004");
      await until(() => written().endsWith("end\n"), "the program has read the end");
      await takesLine(terminal, "after");
      terminal.type("exit 7\n");
      expect(await terminal.ended()).toBe("exit 7");
    };

    test("a program in the background that reads the terminal is stopped, and what is typed is the shell's", async () => {
      const host = make();
      const [terminal, command, written] = await interactive(host);
      terminal.type(`${command} &\n`);
      await takesLine(terminal, "first");
      await takesLine(terminal, "second");
      for (let tries = 0; tries < 50 && !terminal.stdout.includes("Stopped"); tries += 1) {
        terminal.type("jobs\n");
        await delay(100);
      }
      expect(terminal.stdout).toContain("Stopped");
      // It may have been stopped before it had started the program.
      expect(["", "ready\n"]).toContain(written());
      await continues(terminal, written);
      expect(host.starts).toHaveLength(1);
      await nobodyIsLeft(host);
    });

    test("Ctrl-Z stops one in the foreground, what is typed then is the shell's, and fg continues it", async () => {
      const host = make();
      const [terminal, command, written] = await interactive(host);
      terminal.type(`${command}\n`);
      await until(() => written() === "ready\n", "the program is ready");
      terminal.type("\u001a");
      await until(() => terminal.stdout.includes("Stopped"), "the job is stopped");
      await takesLine(terminal, "first");
      await takesLine(terminal, "second");
      expect(written()).toBe("ready\n");
      await continues(terminal, written);
      expect(host.starts).toHaveLength(1);
      await nobodyIsLeft(host);
    });
  });
});
