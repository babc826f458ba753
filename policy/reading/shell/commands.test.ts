import { describe, expect, test } from "vitest";
import { program } from "../argv.ts";
import { type Known, UNKNOWN } from "../content.ts";
import { unwrapped } from "./commands.ts";

const of = (words: readonly Known<string>[], input?: string) =>
  unwrapped({ at: "ExecStart", words, environment: {}, ...(input === undefined ? {} : { input }) });
const words = (line: string) => line.split(" ").map((word) => (word === "?" ? UNKNOWN : word));

describe("the program inside its wrappers is a command of its own", () => {
  test.each([
    "sudo tailscale funnel",
    "sudo -u root -g x VAR=1 tailscale funnel",
    "sudo --user root -nE -- tailscale funnel",
    "sudo --us root --login tailscale funnel",
    "doas -u root tailscale funnel",
    "env -i -u X A=b tailscale funnel",
    "env -C / - A=b tailscale funnel",
    "nohup nice -n 5 ionice -c 3 tailscale funnel",
    "timeout -k 5 --signal KILL 10 tailscale funnel",
    "timeout ? tailscale funnel",
    "/usr/bin/time -f x tailscale funnel",
    "exec -a x tailscale funnel",
    "command tailscale funnel",
    "setsid -f stdbuf -oL tailscale funnel",
    "chrt -f 1 taskset 3 tailscale funnel",
    "flock -n /run/lock tailscale funnel",
    "unshare -n tailscale funnel",
    "busybox env tailscale funnel",
    "systemd-run --unit x -p User=a tailscale funnel",
    "systemd-cat -t x tailscale funnel",
    "xargs -n 1 tailscale funnel",
    "runuser -u x -- tailscale funnel",
    "setpriv --reuid 1 --clear-groups tailscale funnel",
    "chronic strace -f -o /x tailscale funnel",
    "ip netns exec ns tailscale funnel",
    "nsenter -t 1 -m -n -- tailscale funnel",
    "chroot /mnt tailscale funnel",
    "podman exec -it -u 0 --env A=b hermes tailscale funnel",
    "podman exec --detach hermes tailscale funnel",
    "docker -H tcp://x exec ? tailscale funnel",
    "docker compose -f x exec hermes tailscale funnel",
    "/lib64/ld-linux-x86-64.so.2 --library-path /x tailscale funnel",
    "find / -exec tailscale funnel ;",
    "watch -n 1 -x tailscale funnel",
    "qm guest exec 101 -- tailscale funnel",
    "nix run nixpkgs#tailscale -- funnel",
    "start-stop-daemon --start --exec tailscale -- funnel",
    "parallel tailscale ::: funnel serve",
  ])("%s", (line) => {
    const found = of(words(line)).commands.map((command) => command.words.slice(0, 2));
    expect(found).toContainEqual(["tailscale", "funnel"]);
  });

  test("env -S is split into words, its assignments and options taken", () => {
    const found = of(["env", "-S", `A='b c' tailscale "fun"nel`]);
    expect(found.commands).toEqual([
      { at: "ExecStart", words: ["tailscale", "funnel"], environment: { A: "b c" } },
    ]);
  });

  test("an unknown program behind a wrapper is unknown", () => {
    expect(of(words("sudo -u root ? funnel")).commands[0]?.words).toEqual([UNKNOWN, "funnel"]);
  });

  test("looking for a program does not start it", () => {
    expect(of(words("command -v tailscale")).commands.map(program)).toEqual(["command"]);
  });

  test("ssh and podman stay beside what they start", () => {
    expect(of(words("sudo podman exec x tailscale")).commands.map(program)).toEqual(["podman", "tailscale"]);
    expect(of(words("ssh -p 22 h tailscale up")).commands.map(program)).toEqual(["ssh"]);
  });
});

describe("what a shell will run is a text", () => {
  test.each([
    [["sh", "-c", "ls"], "ls"],
    [["bash", "-o", "pipefail", "-euc", "ls"], "ls"],
    [["sudo", "busybox", "sh", "-c", "ls"], "ls"],
    [["sh", "-c", 'ls "$1"', "sh", "it's"], `set -- 'it'\\''s'; ls "$1"`],
    [["env", "A=b", "sh", "-c", "ls $A"], "A='b'; ls $A"],
    [["su", "-", "x", "-c", "ls"], "ls"],
    [["runuser", "x", "-c", "ls"], "ls"],
    [["script", "-qec", "ls", "/dev/null"], "ls"],
    [["flock", "/x", "-c", "ls"], "ls"],
    [["ssh", "-i", "k", "h", "-p", "22", "ls", "-l $A"], "ls -l $A"],
    [["ssh", "-o", "ProxyCommand=nc %h", "h"], "nc %h"],
    [["watch", "-n", "5", "ls", "-l"], "ls -l"],
    [["nix-shell", "-p", "x", "--run", "ls"], "ls"],
  ])("%j", (argv, text) => {
    expect(of(argv).texts.map((each) => each.text)).toEqual([text]);
  });

  test("a variable that is called like a member of every object is unknown like any other", () => {
    expect(of(["sh", "-c", "ls $constructor"]).texts.map((each) => each.text)).toEqual(["ls $constructor"]);
  });

  test.each([
    ["sudo -i"],
    ["su -"],
    ["chroot /mnt"],
    ["podman exec -i x"],
    ["ssh host"],
    ["bash -s"],
    ["at now"],
  ])("%s runs its input", (line) => {
    expect(of(words(line), "ls").texts.map((each) => each.text)).toEqual(["ls"]);
  });

  test("a script's name is no text", () => {
    expect(of(words("sh /x.sh -c ls"), "ls").texts).toEqual([]);
  });
});

test("wrappers without end stay wrappers", () => {
  expect(of(Array.from({ length: 100_000 }, () => "sudo")).commands).toHaveLength(1);
  expect(of([]).commands).toEqual([]);
});
