import { beforeAll, describe, expect, it } from "vitest";
import type { SshMachine } from "../lab/chopper/ssh-machine.ts";
import { type Speed, scenarios } from "../lab/command/scenarios.ts";

/** For e2e tests: the command `hermes` in a deployed guest. */

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
}
type Words = Readonly<Record<string, string>>;

interface EverySystem {
  readonly version: { readonly command: Run; readonly raw: string };
  readonly shared_home: {
    readonly link: string;
    readonly groups: readonly string[];
    readonly mode: string;
    readonly gid: number;
    readonly written: Run;
    readonly inside: string;
  };
  readonly environment_inside: { readonly got: Words; readonly raw: Words; readonly err: string };
  readonly terminal: { readonly code: number; readonly text: string };
  readonly reopened: { readonly closed: string; readonly mode: string };
}

/** What holds on every kind of guest. */
export function commandTests(where: () => { readonly guest: SshMachine; readonly user: string }): void {
  describe("the command hermes", () => {
    let found: EverySystem;

    beforeAll(async () => {
      const { guest, user } = where();
      const names = ["version", "shared_home", "environment_inside", "terminal", "reopened"] as const;
      found = await scenarios<EverySystem>(guest, user, names);
    });

    it("answers as Hermes in the container does, and says nothing of its own", () => {
      const { command, raw } = found.version;
      expect(raw).toContain("v0.19.0");
      expect(command).toMatchObject({ code: 0, out: raw, err: "" });
    });

    it("shares one home with the container: either side writes what the other created", () => {
      const { link, groups, mode, gid, written, inside } = found.shared_home;
      expect(link).toBe("/var/lib/hermes");
      expect(groups).toContain("hermes");
      expect([mode, gid]).toEqual(["0o2770", 10_000]);
      expect(written).toMatchObject({ code: 0, out: "x\nmore\n", err: "" });
      expect(inside).toBe("new\n");
    });

    it("opens the home again that Hermes closes when it saves credentials", () => {
      expect(found.reopened).toEqual({ closed: "0o40700", mode: "0o2770" });
    });

    it("hands on the terminal, the locale and HERMES_*, byte for byte, and nothing else", () => {
      const { got, raw, err } = found.environment_inside;
      const given = {
        TERM: "xterm",
        COLORTERM: "truecolor",
        LANG: "C.UTF-8",
        HERMES_E2E: "two words",
        HERMES_LINES: "a\nb  ",
      };
      expect(got).toEqual({ ...raw, ...given });
      expect(err).toBe("");
    });

    it("is a terminal's: size, resize, the runtime's detach keys and Ctrl-C reach the program", () => {
      const { code, text } = found.terminal;
      expect(text).toContain("terminal True True xterm");
      expect(text).toContain("first 100 30");
      expect(text).toContain("typed hello");
      expect(text).toContain("size 120 50");
      expect(text).toContain("still\r\n");
      expect(text).toContain("interrupted");
      expect(code).toBe(9);
    });
  });
}

interface Debian {
  readonly arguments: {
    readonly words: readonly string[];
    readonly inside: readonly unknown[];
    readonly elsewhere: readonly unknown[];
    readonly err: string;
  };
  readonly without_sudo: { readonly [name in "refused" | "unknown" | "allowed" | "probed"]: Run };
  readonly exit_codes: Readonly<Record<string, readonly unknown[]>>;
  readonly signals: Readonly<Record<string, unknown>>;
  readonly terminal_gone: { readonly left: number };
  readonly down: { readonly [name in "stopped" | "comes_up" | "missing" | "absent"]: Run } & {
    readonly terminal: { readonly code: number; readonly text: string; readonly seconds: number };
  };
  readonly replaced: Readonly<Record<string, { readonly code: number; readonly starts: number }>>;
  readonly stream: unknown;
  readonly at_once: { readonly runs: readonly (readonly [code: number, out: string, err: string])[] };
  readonly sessions: {
    readonly said: Run;
    readonly listed: Run;
    readonly known: { readonly sessions: readonly { readonly preview: string }[] };
  };
  readonly speed: Speed;
}

/** The rest, with real podman: it takes users to be made and containers to be stopped. */
export function commandTestsOnDebian(
  where: () => { readonly guest: SshMachine; readonly user: string },
): void {
  describe("the command hermes with real podman", () => {
    let found: Debian;

    beforeAll(async () => {
      const { guest, user } = where();
      const first = ["arguments", "without_sudo", "exit_codes", "signals", "terminal_gone", "down"] as const;
      const second = ["replaced", "stream", "at_once", "sessions", "speed"] as const;
      found = {
        ...(await scenarios<Debian>(guest, user, first)),
        ...(await scenarios<Debian>(guest, user, second)),
      };
    });

    it("passes every argument as it is, and the working folder where the container has it, else the home", () => {
      const { words, inside, elsewhere, err } = found.arguments;
      expect(inside).toEqual([words, "/usr/share"]);
      expect(elsewhere).toEqual([[], "/opt/data"]);
      expect(err).toBe("");
    });

    it("tells a user who may not use sudo the rule to add, at once, and that rule is enough", () => {
      const { refused, unknown, allowed, probed } = found.without_sudo;
      for (const { code, err, seconds } of [refused, unknown]) {
        expect(code).toBe(1);
        expect(err).toContain("\n  command-e2e ALL=(root) NOPASSWD: /usr/bin/podman\n");
        expect(seconds).toBeLessThan(10);
      }
      for (const run of [allowed, probed]) expect(run).toMatchObject({ code: 0, out: "hello\n", err: "" });
    });

    it("ends with the program's status, whatever it is, and runs nothing twice", () => {
      const codes = [0, 1, 3, 125, 126, 127, 255];
      expect(found.exit_codes).toEqual(
        Object.fromEntries(codes.map((code) => [String(code), [code, 1, "", code, 1]])),
      );
    });

    it("passes signals on, and leaves nothing running in the container", () => {
      expect(found.signals).toEqual({
        SIGHUP: [41, "got SIGHUP", ""],
        SIGINT: [42, "got SIGINT", ""],
        SIGTERM: [55, "got SIGTERM", ""],
        SIGQUIT: [43, "got SIGQUIT", ""],
        default: -15,
        "ctrl-c to a pipe": [-2, "got SIGINT"],
        left: 0,
      });
      expect(found.terminal_gone.left).toBe(0);
    });

    it("waits for a container that is down, quietly, with its input kept; then says what the runtime said", () => {
      const { stopped, comes_up, missing, absent, terminal } = found.down;
      expect(comes_up).toMatchObject({ code: 0, out: "kept for later", err: "" });
      const words = [
        [stopped, "can only create exec sessions on running containers"],
        [missing, "unable to find user nobody-of-that-name"],
        [absent, "no such container"],
      ] as const;
      for (const [{ code, out, err, seconds }, said] of words) {
        expect([code, out]).toEqual([1, ""]);
        expect(err).toContain(said);
        expect(err).toMatch(/hermes\.service is active running\n/);
        expect(seconds).toBeGreaterThan(10);
      }
      expect(terminal.text).toContain("| waiting for the container");
      expect(terminal.text).toContain("within 5 s");
      expect(terminal.code).toBe(1);
    });

    it("does not run a program again whose container was killed, stopped or removed meanwhile", () => {
      const ways = ["kill", "stop", "rm"].flatMap((way) => [`${way}-pipe`, `${way}-tty`]);
      expect(Object.keys(found.replaced)).toEqual(ways);
      for (const { code, starts } of Object.values(found.replaced)) {
        expect(starts).toBe(1);
        expect(code).not.toBe(0);
      }
    });

    it("passes 100 MiB in and out unchanged, and serves ten at once", () => {
      expect(found.stream).toEqual({ size: 104_857_600, expected: 104_857_600, same: true, code: 0 });
      const runs = Array.from({ length: 10 }, (_, number) => [0, `number ${number}\n`, ""]);
      expect(found.at_once).toEqual({ runs });
    });

    it("makes sessions that the running dashboard knows", () => {
      const { said, listed, known } = found.sessions;
      expect(said).toMatchObject({ code: 0, out: "spoken by the stub\n", err: "" });
      expect(listed.out).toContain("hello from the command");
      expect(known.sessions.map(({ preview }) => preview)).toContain("hello from the command");
    });

    it("starts the runtime once: a second start would take twice as long as the runtime alone", () => {
      // The fastest of each: what else the machine does can only add to a run. How much the command itself takes is
      // measured by `npm run bench`, on a machine that does nothing else.
      const [raw, command] = [Math.min(...found.speed.raw), Math.min(...found.speed.command)];
      expect(command / raw, `podman exec ${raw} s, hermes ${command} s`).toBeLessThan(1.8);
    });
  });
}
