import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hostsOf, type Report, SHELLS } from "./machine.ts";
import { isAlive, until } from "./running.ts";

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

describe.concurrent.each(SHELLS)("routing, under $name:", ({ shell }) => {
  const make = hostsOf(shell);

  test.each([
    [["--help"]],
    [["version"]],
    [[]],
    [[""]],
    [["", "", "x", ""]],
    [["chat", "-q", "two  spaces\tand a tab"]],
    [["'", '"', "''", '"x"', "\\", "\\\\n", "a\\"]],
    [["line\nline\n", "\n", "\r\n"]],
    [["--", "--", "-x", "-", "--env", "A=B", "-t", "--user=root", "--detach-keys"]],
    [
      [
        "$(id)",
        "`id`",
        "$HOME",
        "$\u007bx}",
        "*",
        "?",
        "[a]",
        "~",
        "!",
        "&",
        ";",
        "|",
        "<",
        ">",
        "#",
        "(",
        "%s",
        "%%",
      ],
    ],
    [["äöü", "日本語", "🦉", "\u0001\u007f"]],
  ])("the arguments %j arrive unchanged", async (args) => {
    expect((await make().report(args)).args).toEqual(args.map(latin1));
  });

  test("an argument of bytes that are no UTF-8 arrives unchanged", async () => {
    const host = make();
    const add = host.at("add");
    host.executable(add, '#!/bin/sh\nexec "$@" "$(printf \'a\\344\\377b\')"\n');
    const { args } = await host.report(["x"], { prefix: [add], env: { LC_ALL: "C.UTF-8" } });
    expect(args).toEqual(["x", "a\u00e4\u00ffb"]);
  });

  test("many arguments arrive unchanged", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `argument ${index}`);
    expect((await make().report(many)).args).toEqual(many);
  });

  test("an argument of 100 KB arrives unchanged", async () => {
    const long = "0123456789 'abcdef\n".repeat(5_400);
    expect((await make().report(["chat", long, "after"])).args).toEqual(["chat", long, "after"]);
  });

  test.each(["podman", "docker"] as const)(
    "with %s the runtime is started once, and standard error stays empty",
    async (backend) => {
      const host = make({ backend });
      const { status, stdout, stderr } = await host.run(["version"]);
      expect([status, stderr.toString()]).toEqual([0, ""]);
      expect(JSON.parse(stdout.toString())).toMatchObject({ args: ["version"] });
      expect(host.calls).toHaveLength(1);
      expect(host.starts).toHaveLength(1);
      expect(host.leftovers).toEqual([]);
    },
  );

  test("a container of root's is reached with one start of sudo and one of the runtime", async () => {
    const host = make().rootful();
    const { status, stderr } = await host.run(["version"]);
    expect([status, stderr.toString()]).toEqual([0, ""]);
    expect(host.calls.map(({ root }) => root)).toEqual([true]);
    expect(host.told("sudo-calls").split("\n")).toHaveLength(2);
  });

  test("the runtime's detach keys are off", async () => {
    const podman = make();
    await podman.run();
    expect(podman.attempts[0]?.argv).toContain("--detach-keys=");
    const docker = make({ backend: "docker" });
    await docker.run();
    // Docker takes an empty list for its default.
    expect(docker.attempts[0]?.argv.find((word) => word.startsWith("--detach-keys="))).toMatch(
      /=ctrl-@,ctrl-_,/,
    );
  });

  test("100 MB go in and come back unchanged", async () => {
    const host = make();
    host.program("exec cat");
    const input = randomBytes(100 * 1024 * 1024);
    const { status, stdout, stderr } = await host.run([], { input });
    expect([status, stderr.toString(), stdout.length]).toEqual([0, "", input.length]);
    expect(sha256(stdout)).toBe(sha256(input));
  });

  test("bytes of every value on standard error arrive unchanged and in order", async () => {
    const host = make();
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const all = Buffer.concat([bytes, randomBytes(300_000), Buffer.from("\n\n no newline at the end")]);
    writeFileSync(host.at("bytes"), all);
    host.program(`cat '${host.at("bytes")}' >&2`);
    const { status, stdout, stderr } = await host.run();
    expect([status, stdout.length, sha256(stderr)]).toEqual([0, 0, sha256(all)]);
  });

  test.each([
    ["input", "<&-", "out\n"],
    ["output", ">&-", ""],
    ["error", "2>&-", "out\n"],
  ])("a standard %s that is closed (%s) does not keep the program from running", async (_, closing, out) => {
    const host = make();
    host.program("echo out; echo err >&2; exit 0");
    const close = host.at("close");
    host.executable(close, `#!/bin/sh\nexec "$@" ${closing}\n`);
    const { stdout } = await host.run([], { prefix: [close] });
    expect([host.starts.length, stdout.toString()]).toEqual([1, out]);
  });

  test("standard output and standard error stay apart", async () => {
    const host = make();
    host.program("echo out; echo err >&2; echo out; echo err >&2");
    const { stdout, stderr } = await host.run();
    expect([stdout.toString(), stderr.toString()]).toEqual(["out\nout\n", "err\nerr\n"]);
  });

  test("what the program writes arrives while it runs, and it reads while it writes", async () => {
    const host = make();
    host.program('echo ready >&2; while read -r line; do echo "got $line"; done');
    const running = host.start();
    await until(() => running.stderr === "ready\n", "ready");
    running.type("one\n");
    await until(() => running.stdout === "got one\n", "one");
    running.type("two\n");
    await until(() => running.stdout === "got one\ngot two\n", "two");
    running.end();
    expect((await running.result).status).toBe(0);
  });

  test("an empty input is an empty input", async () => {
    const host = make();
    host.program("cat; echo end");
    expect((await host.run([], { input: "" })).stdout.toString()).toBe("end\n");
  });

  test("a reader that closes the output early ends the program, which writes on", async () => {
    const host = make();
    host.program("while :; do echo line; sleep 0.05; done");
    const running = host.start();
    await until(() => running.stdout !== "", "the first line");
    running.child.stdout?.destroy();
    running.end();
    expect((await running.result).status).toBe(141);
    await until(() => host.starts.every((pid) => !isAlive(pid)), "the program has ended", 2_000);
  });

  test("without terminals the program has none, and with both it has three", async () => {
    const host = make();
    expect((await host.report()).terminals).toEqual([false, false, false]);
    expect(host.attempts[0]?.argv).not.toContain("-t");
    const terminal = host.terminal();
    expect(await terminal.ended()).toBe("exit 0");
    const report: Report = JSON.parse(terminal.stdout);
    expect(report.terminals).toEqual([true, true, true]);
    expect(host.attempts[1]?.argv.slice(0, 3)).toEqual(["exec", "-i", "-t"]);
    // One each: the good path starts the runtime once.
    expect(host.calls).toHaveLength(2);
  });

  test("a terminal in and a pipe out counts as none", async () => {
    const host = make();
    const terminal = host.terminal([], {}, "input");
    expect(await terminal.ended()).toBe("exit 0");
    const report: Report = JSON.parse(terminal.stdout);
    expect(report.terminals).toEqual([false, false, false]);
    expect(host.attempts[0]?.argv).not.toContain("-t");
  });

  describe("the working folder", () => {
    test("is the same inside where it exists there, with odd characters too", async () => {
      const host = make();
      const odd = host.at("work/a 'b\" $(id)\n--c");
      mkdirSync(odd);
      expect((await host.report([], { cwd: odd })).cwd).toBe(odd);
    });

    test("is the home where it does not exist inside", async () => {
      const host = make();
      host.tell("aside", `${host.work}\n`);
      expect((await host.report()).cwd).toBe(host.at("state/home"));
    });

    test("is the home when it was deleted on this machine", async () => {
      const host = make();
      const gone = host.at("work/gone");
      mkdirSync(gone);
      host.executable(host.at("leave"), '#!/bin/sh\nrm -r "$1"\nshift\nexec "$@"\n');
      const { status, stdout, stderr } = await host.run([], { cwd: gone, prefix: [host.at("leave"), gone] });
      expect(existsSync(gone)).toBe(false);
      // The shell's own words, before it reads the first line.
      expect(stderr.toString()).toMatch(/^([^\n]*getcwd[^\n]*\n)?$/);
      expect(status).toBe(0);
      expect(JSON.parse(stdout.toString())).toMatchObject({ cwd: host.at("state/home") });
    });

    test("is / where the home is missing, too", async () => {
      const host = make();
      host.tell("aside", `${host.work}\n`);
      rmSync(host.at("state/home"), { recursive: true });
      expect((await host.report()).cwd).toBe("/");
    });
  });

  test("ten at once do not get in each other's way", async () => {
    const host = make();
    host.python(
      "import sys, time\ndata = sys.stdin.read()\ntime.sleep(0.2)\nprint(sys.argv[1], data)\nsys.exit(int(sys.argv[1]))",
    );
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => host.run([`${index}`], { input: `input ${index}` })),
    );
    for (const [index, { status, stdout, stderr }] of results.entries())
      expect([status, stdout.toString(), stderr.toString()]).toEqual([
        index,
        `${index} input ${index}\n`,
        "",
      ]);
    expect([host.calls.length, host.starts.length, host.leftovers]).toEqual([10, 10, []]);
  });
});
