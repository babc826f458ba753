import { describe, expect, test } from "vitest";
import { type Host, hostsOf, type Report, type Settings, SHELLS } from "./machine.ts";

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
/** What the container's own environment has. */
const OWN = ["HOME", "PATH", "container"];
const VALUES: Readonly<Record<string, string>> = {
  newline: "a\nb",
  "newlines at the end": "a\n\n",
  "only a newline": "\n",
  quotes: `'single' "double" \`back\``,
  backslashes: "\\ \\\\ \\n \\0 \\x41 \\",
  "a leading #": "# x",
  "spaces around": "  x  \t ",
  "UTF-8": "äöü 日本語 🦉",
  "a carriage return": "a\r\nb\r",
  "control characters": "\u0001\u0007\u001b[0m\u007f",
  "looks like shell": "$(touch /tmp/x) `id` $HOME $\u007bx} ; & |",
  "percent and equals": "%s %b =a=b= %%",
  "looks like an option": "--env X=y",
  "an assignment on a line of its own": "a\nexport HERMES_OTHER=b\nHERMES_THIRD=c",
  plain: "https://example.net:8443/a_b-c.d,e@f+g%20=",
  empty: "",
  "10 KB": "0123456789 'abcdef\n".repeat(550),
};

const WAYS: ReadonlyArray<readonly [string, (host: Host) => Host, Settings]> = [
  ["directly", (host) => host, {}],
  ["directly, with docker", (host) => host, { backend: "docker" }],
  ["by sudo", (host) => host.rootful(), {}],
];

describe.concurrent.each(SHELLS)("the environment, under $name,", ({ shell }) => {
  const make = hostsOf(shell);
  describe.each(WAYS)("%s:", (_, prepare, settings) => {
    const ready = (): Host => prepare(make(settings));
    const gone = async (env: Readonly<Record<string, string>>, host = ready()): Promise<Report["env"]> => {
      const report = await host.report([], { env });
      return Object.fromEntries(Object.entries(report.env).filter(([name]) => !OWN.includes(name)));
    };

    test("TERM, COLORTERM, LANG and LC_ALL go along when they are set, and HERMES_* variables", async () => {
      const env = {
        TERM: "screen-256color",
        COLORTERM: "truecolor",
        LANG: "de_DE.UTF-8",
        LC_ALL: "C.UTF-8",
        HERMES_X: "1",
        HERMES_LONG_NAME_2: "two",
      };
      expect(await gone(env)).toEqual(env);
    });

    test("nothing else goes along, and nothing of these that is not set", async () => {
      const host = ready();
      const env = {
        USER: "alice",
        LC_CTYPE: "C",
        SSH_AUTH_SOCK: "/x",
        hermes_x: "1",
        XHERMES_X: "1",
        HERMES: "1",
        PWD: host.work,
        OLDPWD: "/",
        CDPATH: "/tmp",
        IFS: "x",
        token: "1",
        mode: "tty",
      };
      expect(await gone(env, host)).toEqual({});
    });

    test("HERMES_HOME, HERMES_DEV and the command's own token do not go along", async () => {
      const host = ready();
      const env = { HERMES_HOME: host.at("home/.hermes"), HERMES_DEV: "0", HERMES_EXEC_TOKEN: "stale" };
      expect(await gone({ ...env, HERMES_HOMES: "yes", HERMES_DEVICE: "yes" }, host)).toEqual({
        HERMES_HOMES: "yes",
        HERMES_DEVICE: "yes",
      });
    });

    test("a variable that is set and empty arrives so", async () => {
      expect(await gone({ LANG: "", HERMES_EMPTY: "" })).toEqual({ LANG: "", HERMES_EMPTY: "" });
    });

    test("what looks like a variable within another one's value is none, and changes none", async () => {
      const OTHER = [
        "",
        "export HERMES_GHOST='1'",
        "declare -x HERMES_GHOST='1'",
        "export HERMES_REAL='2'",
        "",
      ];
      const HERMES_REAL = "two\nlines'";
      expect(await gone({ OTHER: OTHER.join("\n"), HERMES_REAL })).toEqual({ HERMES_REAL });
    });

    test("values arrive byte for byte, whatever is in them", async () => {
      const names = Object.keys(VALUES);
      const env = Object.fromEntries(Object.values(VALUES).map((value, index) => [`HERMES_${index}`, value]));
      const found = await gone(env);
      const byTitle = (values: Report["env"]): object =>
        Object.fromEntries(names.map((title, index) => [title, values[`HERMES_${index}`]]));
      expect(byTitle(found)).toEqual(
        Object.fromEntries(Object.entries(VALUES).map(([title, value]) => [title, latin1(value)])),
      );
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(env).toSorted());
    });

    test("bytes that are no UTF-8 arrive, in a UTF-8 locale, too", async () => {
      const host = ready();
      const set = host.at("set");
      host.executable(
        set,
        "#!/bin/sh\nHERMES_RAW=$(printf 'a\\344\\377b')\nexport HERMES_RAW\nexec \"$@\"\n",
      );
      const { env } = await host.report([], { prefix: [set], env: { LC_ALL: "C.UTF-8" } });
      expect(env["HERMES_RAW"]).toBe("a\u00e4\u00ffb");
    });

    test("TERM and the locale arrive byte for byte, too", async () => {
      const env = { TERM: "a b'\n\\", COLORTERM: "\\101", LANG: "#x ", LC_ALL: "$(id)" };
      expect(await gone(env)).toEqual(env);
    });

    test("no value is in an argument of any process that is started", async () => {
      const host = ready();
      const secrets = { HERMES_API_KEY: "s3cret-plain", HERMES_ODD: "s3cret odd\n'", LANG: "s3cret_LANG" };
      expect(await gone(secrets, host)).toEqual(secrets);
      const seen = JSON.stringify(host.calls) + host.told("sudo-calls");
      expect(seen).toContain("HERMES_EXEC_TOKEN=");
      expect(seen).not.toContain("s3cret");
      // As an octal form of the odd one would be.
      expect(seen).not.toMatch(/\\+0?163\\+0?063/);
    });

    test("no file is left with a value", async () => {
      const host = ready();
      await gone({ HERMES_API_KEY: "s3cret odd\n'" }, host);
      expect(host.leftovers).toEqual([]);
    });

    test("the program inherits no ignored signal and no open file", async () => {
      const { ignored, files } = await ready().report();
      // Python itself ignores SIGPIPE and SIGXFSZ, and lists its own descriptors by a fourth.
      expect([BigInt(`0x${ignored}`) & 0x4007n, files]).toEqual([0n, [0, 1, 2]]);
    });
  });

  test("by sudo, a value that is longer than a line of an env file may be arrives, too", async () => {
    const host = make().rootful();
    const env = { HERMES_LONG: "'0123456789 abcdef".repeat(5_000) };
    expect((await host.report([], { env })).env["HERMES_LONG"]).toBe(env.HERMES_LONG);
  });

  test("on a terminal its TERM arrives, not the runtime's", async () => {
    const terminal = make().terminal([], { env: { TERM: "vt220", HERMES_X: "1" } });
    expect(await terminal.ended()).toBe("exit 0");
    const report: Report = JSON.parse(terminal.stdout);
    expect(report.env).toMatchObject({ TERM: "vt220", HERMES_X: "1" });
  });
});
