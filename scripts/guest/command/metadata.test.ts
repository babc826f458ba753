import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { findOnPath } from "../../setup/commands.ts";
import { CONTROLS, type Host, hostsOf, SCRIPT, SHELLS } from "./machine.ts";

test.each([
  "MARKERS='/run/.containerenv /.dockerenv'",
  "SYSTEM_PATH=/run/current-system/sw/bin",
  "DEPLOYED=/etc/hermes/container-mode",
  "TTY_SECONDS=5",
  "SECONDS_WITHOUT_TTY=10",
])("the script says %j exactly once, on a line of its own", (line) => {
  expect(
    readFileSync(SCRIPT, "utf8")
      .split("\n")
      .filter((found) => found === line),
  ).toEqual([line]);
});

describe.concurrent.each(SHELLS)("metadata, under $name:", ({ shell }) => {
  const make = hostsOf(shell);
  /** What the runtime was told, by the options that come of the metadata. */
  const routed = async (host: Host): Promise<Readonly<Record<string, string | undefined>>> => {
    const { status, stderr } = await host.run();
    expect(stderr.toString()).toBe("");
    expect(status).toBe(0);
    const { argv = [], backend } = host.attempts[0] ?? {};
    const shell = argv.indexOf("/bin/sh");
    return {
      backend,
      container: argv[shell - 1],
      user: argv[argv.indexOf("--user") + 1],
      program: argv[argv.indexOf("hermes", shell) + 6],
    };
  };
  const refuses = async (host: Host, says: string | RegExp): Promise<void> => {
    const { status, stdout, stderr } = await host.run();
    expect(stderr.toString()).toMatch(/^hermes: [^\n]*\n$/);
    expect(stderr.toString()).toMatch(says);
    expect([status, stdout.toString(), host.calls]).toEqual([1, "", []]);
  };

  test("each key is used", async () => {
    const host = make({ backend: "docker" });
    host.container("running", "root", "some.box-2_x");
    const other = host.at("opt/other one");
    host.reports(other);
    host.metadata(`backend=docker\ncontainer_name=some.box-2_x\nexec_user=1000:100\nhermes_bin=${other}\n`);
    expect(await routed(host)).toEqual({
      backend: "docker",
      container: "some.box-2_x",
      user: "1000:100",
      program: other,
    });
  });

  test.each([
    ["missing", ""],
    ["empty", "backend=\ncontainer_name=\nexec_user=  \nhermes_bin=\n"],
    ["of no interest", "# backend=podman\n\nspeed=11\nBACKEND=podman\nexport backend=podman\n"],
  ])("keys that are %s leave upstream's defaults", async (_, text) => {
    const host = make({ backend: "docker", seconds: 0 });
    host.container("running", "root", "hermes-agent");
    host.metadata(text);
    await host.run();
    const { argv = [], backend } = host.attempts[0] ?? {};
    const at = argv.indexOf("/bin/sh");
    expect([backend, argv[at - 1], argv[argv.indexOf("--user") + 1]]).toEqual([
      "docker",
      "hermes-agent",
      "hermes",
    ]);
    expect(argv).toContain("/data/current-package/bin/hermes");
  });

  test("a key given twice counts as given last, and an empty value last means the default", async () => {
    const host = make();
    host.container("running", "user", "two");
    host.metadata(
      `backend=podman\ncontainer_name=one\ncontainer_name=two\nexec_user=1000\nexec_user=\nhermes_bin=${host.bin}\n`,
    );
    expect(await routed(host)).toMatchObject({ container: "two", user: "hermes" });
  });

  test("blanks around keys and values are trimmed, tabs too", async () => {
    const host = make();
    host.metadata(
      ` \tbackend\t = \tpodman \t\n  # note\n\t\n container_name =box\nhermes_bin = ${host.bin} \nexec_user =\t1000\t\n`,
    );
    expect(await routed(host)).toMatchObject({ backend: "podman", container: "box", user: "1000" });
  });

  test("lines that end with CRLF and a byte order mark are tolerated, and so is a missing last newline", async () => {
    const host = make();
    host.metadata(`\uFEFFbackend=podman\r\n\r\n# note\r\nhermes_bin=${host.bin}\r\ncontainer_name=box\r`);
    expect(await routed(host)).toMatchObject({ backend: "podman", container: "box", program: host.bin });
    const unended = make();
    unended.metadata(`backend=podman\nhermes_bin=${unended.bin}\ncontainer_name=box`);
    expect(await routed(unended)).toMatchObject({ container: "box" });
  });

  test("a line is split at its first =", async () => {
    const host = make();
    const odd = host.at("opt/a=b==c");
    host.reports(odd);
    host.metadata({ hermes_bin: odd });
    expect(await routed(host)).toMatchObject({ program: odd });
  });

  test("quotes and a trailing comment are part of the value", async () => {
    const host = make();
    const odd = host.at("opt/'q\" # not a comment");
    host.reports(odd);
    host.metadata({ hermes_bin: odd });
    expect(await routed(host)).toMatchObject({ program: odd });
    host.metadata('backend="podman"\n');
    rmSync(host.at("state/calls"));
    await refuses(host, `backend is '"podman"', and must be docker or podman`);
  });

  test.each([
    ["backend=lxc", "backend is 'lxc', and must be docker or podman"],
    ["backend=podman # ours", "backend is 'podman # ours'"],
    ["container_name=-rf", "container_name is '-rf'"],
    ["container_name=a b", "container_name is 'a b'"],
    ["container_name=../x", "container_name is '../x'"],
    ["container_name=bôx", "container_name is 'bôx'"],
    ["exec_user=-u", "exec_user is '-u'"],
    ["exec_user=root;id", "exec_user is 'root;id'"],
    ["exec_user=a b", "exec_user is 'a b'"],
    ["hermes_bin=bin/hermes", "hermes_bin is 'bin/hermes', and must be an absolute path"],
    ["hermes_bin=/a\tb", "hermes_bin is '/a\tb'"],
    ["hermes_bin=/a\rb", "hermes_bin is"],
    ["owner=ro ot", "owner is 'ro ot'"],
    ["unit=--user", "unit is '--user'"],
    ["unit=a/b.service", "unit is 'a/b.service'"],
    ["podman", "expected key=value or a # comment, found 'podman'"],
  ])("%j is refused by file, line and key, before the runtime is started", async (line, says) => {
    const host = make();
    host.metadata(`# one\n${line}\n`);
    await refuses(host, says);
    expect((await host.run()).stderr.toString()).toContain(
      `${host.at("home/.hermes/.container-mode")}, line 2: `,
    );
  });

  test("a value that looks like shell is never executed", async () => {
    const host = make();
    const mark = host.at("executed");
    for (const value of [
      `$(touch '${mark}')`,
      `\`touch '${mark}'\``,
      `x; touch '${mark}'`,
      `/x$(touch '${mark}')`,
    ])
      for (const key of ["backend", "container_name", "exec_user", "hermes_bin", "owner", "unit", "other"]) {
        host.metadata(`backend=podman\n${key}=${value}\n`);
        await host.run([], { env: { HERMES_HOME: host.at("home/.hermes") } });
      }
    host.metadata(`touch '${mark}'\n`);
    await host.run();
    expect(existsSync(mark)).toBe(false);
  }, 60_000);

  test("without the file, the error names it and what makes it", async () => {
    const host = make();
    rmSync(host.at("home/.hermes/.container-mode"));
    await refuses(host, `${host.at("home/.hermes/.container-mode")} does not exist. A deploy makes it`);
    expect((await host.run()).stderr.toString()).toMatch(/hermes:hostUsers.*pulumi up/);
  });

  test("a folder in its place is a clear error", async () => {
    const host = make();
    rmSync(host.at("home/.hermes/.container-mode"));
    mkdirSync(host.at("home/.hermes/.container-mode"));
    await refuses(host, /\.container-mode is not a file/);
  });

  test("a file that this user may not read is a clear error", async () => {
    const host = make();
    chmodSync(host.folder, 0o755);
    chmodSync(host.at("home/.hermes/.container-mode"), 0o000);
    // Root may read it all the same.
    const nobody = [findOnPath("setpriv")[0] ?? "", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const prefix = process.getuid?.() === 0 ? nobody : [];
    const { status, stderr } = await host.run([], { prefix });
    expect(stderr.toString()).toMatch(
      /^hermes: [^\n]*\.container-mode cannot be read[^\n]*hermes:hostUsers[^\n]*\n$/,
    );
    expect([status, host.calls]).toEqual([1, []]);
  });

  test("HERMES_HOME says where it is, and HOME's .hermes is the default, a link too", async () => {
    const host = make();
    renameSync(host.at("home/.hermes"), host.at("lib"));
    const { stderr } = await host.run();
    expect(stderr.toString()).toContain("does not exist");
    await host.report([], { env: { HERMES_HOME: host.at("lib") } });
    await host.report([], { env: { HERMES_HOME: host.at("lib"), HOME: "" } });
    symlinkSync(host.at("lib"), host.at("home/.hermes"));
    await host.report([], { env: { HERMES_HOME: "" } });
    expect(host.attempts).toHaveLength(3);
  });

  test("with neither HERMES_HOME nor HOME the error names both", async () => {
    const host = make();
    const { stderr, status } = await host.run([], { env: { HOME: "" } });
    expect(stderr.toString()).toMatch(/^hermes: neither HERMES_HOME nor HOME is set[^\n]*\n$/);
    expect(status).toBe(1);
  });

  test("characters that a terminal obeys do not reach it from a value that an error quotes", async () => {
    const host = make();
    for (const line of ["backend=\u001b]0;x\u0007", "unit=\u001b[2J", "\u001b[31mpodman\u0008\u007f"]) {
      host.metadata(`${line}\n`);
      await refuses(host, /, line 1: /);
      expect((await host.run()).stderr.toString()).not.toMatch(CONTROLS);
    }
  });

  test("200 lines are read, and more are refused at once", async () => {
    const host = make();
    const text = `backend=podman\nhermes_bin=${host.bin}\ncontainer_name=box\n`;
    host.metadata(`${"#\n".repeat(197)}${text}`);
    expect(await routed(host)).toMatchObject({ container: "box" });
    rmSync(host.at("state/calls"));
    host.metadata(`${text}${"#\n".repeat(1_000_000)}`);
    const before = performance.now();
    await refuses(host, "has more than 200 lines");
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  describe("beside what the deploy wrote", () => {
    const deployed = (host: Host, changes: Readonly<Record<string, string>> = {}): void => {
      host.metadata({ exec_user: "hermes", ...changes });
      renameSync(host.metadataFile, host.at("deployed"));
    };
    const other = { container_name: "other", exec_user: "1000", hermes_bin: "/bin/true", backend: "docker" };
    const CHANGES = Object.entries(other).map(([key, value]) => ({ [key]: value }));

    test.each(CHANGES)(
      "metadata of another user's that say %j are refused, by both files",
      async (change) => {
        const host = make();
        deployed(host);
        host.double("docker", "runtime", "docker");
        host.metadata(change);
        host.metadataOf("another");
        await refuses(
          host,
          `hermes: ${host.metadataFile} is not what the deploy wrote (${host.at("deployed")})`,
        );
        expect((await host.run()).stderr.toString()).toMatch(/: sudo systemctl restart hermes-host-users\n$/);
      },
    );

    test.each(CHANGES)("the caller's own, and root's, may say %j", async (change) => {
      for (const writer of ["caller", "root"] as const) {
        const host = make({ seconds: 0 });
        deployed(host);
        host.double("docker", "runtime", "docker");
        host.metadata(change);
        host.metadataOf(writer);
        await host.run();
        expect(host.attempts.length).toBeGreaterThan(0);
      }
    });

    test("another user's that say the same in the four keys are used, whatever else they say", async () => {
      const host = make();
      deployed(host, { unit: "hermes.service" });
      host.metadata(
        `# a note\nspeed=11\nhermes_bin=${host.bin}\ncontainer_name = box\nbackend=podman\nunit=x.service\n`,
      );
      host.metadataOf("another");
      expect(await routed(host)).toMatchObject({ container: "box", user: "hermes", program: host.bin });
    });

    test("a program that another user's name is not run on this machine, as in a container", async () => {
      const host = make();
      const planted = host.at("opt/planted");
      host.reports(planted);
      deployed(host);
      host.metadata({ hermes_bin: planted });
      writeFileSync(host.marker, "");
      host.metadataOf("another");
      await refuses(host, "is not what the deploy wrote");
      expect(host.starts).toEqual([]);
    });

    test.runIf(process.getuid?.() === 0)("the file's own owner counts, not its link's", async () => {
      const host = make();
      deployed(host);
      const file = host.at("written by another");
      host.metadata({ container_name: "other" });
      renameSync(host.metadataFile, file);
      chownSync(file, 10_000, 10_000);
      symlinkSync(file, host.metadataFile);
      host.change('[ -O "$file" ]', "false");
      await refuses(host, "is not what the deploy wrote");
    });
  });

  describe("without what a deploy wrote", () => {
    test.each(["root", "0", "00", "root:x", "x:root", "x:0", "x:00"])(
      "metadata of another user's that ask for the user %s are refused",
      async (user) => {
        const host = make();
        host.tell("users", "hermes root x");
        host.metadata({ exec_user: user });
        host.metadataOf("another");
        await refuses(
          host,
          `${host.metadataFile}, written by user 10000, asks for user ${user} in the container; nobody but`,
        );
      },
    );

    test.each(["root", "0", "x:root"])("the caller's own, and root's, may ask for %s", async (user) => {
      for (const writer of ["caller", "root"] as const) {
        const host = make();
        host.tell("users", "hermes root x");
        host.metadata({ exec_user: user });
        host.metadataOf(writer);
        expect(await routed(host)).toMatchObject({ user });
      }
    });

    test.each(["hermes", "1000", "1000:100", "rooty:x", "x:10", "100:1000"])(
      "another user's may ask for %s",
      async (user) => {
        const host = make();
        host.tell("users", "hermes rooty x");
        host.metadata({ exec_user: user });
        host.metadataOf("another");
        expect(await routed(host)).toMatchObject({ user });
      },
    );
  });
});
