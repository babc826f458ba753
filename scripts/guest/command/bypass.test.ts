import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Host, hostsOf, SHELLS } from "./machine.ts";

describe.concurrent.each(SHELLS)("bypassing the container, under $name:", ({ shell }) => {
  const make = hostsOf(shell);
  const dev = (host: Host, path: readonly string[], HERMES_DEV = "1") =>
    host.run(["a b", "", "--x"], { env: { HERMES_DEV, PATH: [...path, host.at("tools")].join(":") } });
  const installed = (host: Host, folder: string): string => {
    mkdirSync(host.at(folder), { recursive: true });
    host.executable(host.at(folder, "hermes"), `#!/bin/sh\nprintf '%s|' '${folder}' "$@"\nexit 7\n`);
    return host.at(folder);
  };

  test("HERMES_DEV=1 runs the next hermes on PATH, with its arguments and status, and reads no metadata", async () => {
    const host = make();
    host.metadata("malformed");
    const { status, stdout, stderr } = await dev(host, [
      host.at("bin"),
      installed(host, "local"),
      installed(host, "later"),
    ]);
    expect([status, stdout.toString(), stderr.toString()]).toEqual([7, "local|a b||--x|", ""]);
    expect(host.calls).toEqual([]);
  });

  test("one that stands before this one on PATH is not the next", async () => {
    const host = make();
    const { stdout } = await dev(host, [installed(host, "before"), host.at("bin"), installed(host, "local")]);
    expect(stdout.toString()).toBe("local|a b||--x|");
  });

  test.each(["0", "", "true", "01", " 1", "1 ", "yes"])("HERMES_DEV=%j does not count", async (value) => {
    const host = make();
    const { status, stdout } = await dev(host, [host.at("bin"), installed(host, "local")], value);
    expect([status, host.calls.length]).toEqual([0, 1]);
    expect(JSON.parse(stdout.toString())).toMatchObject({ args: ["a b", "", "--x"] });
  });

  test("links to this one are this one, wherever they stand", async () => {
    const host = make();
    for (const folder of ["linked", "again"]) {
      mkdirSync(host.at(folder));
      symlinkSync(host.script, host.at(folder, "hermes"));
    }
    const { status, stdout } = await dev(host, [
      host.at("linked"),
      host.at("bin"),
      host.at("again"),
      installed(host, "local"),
    ]);
    expect([status, stdout.toString()]).toEqual([7, "local|a b||--x|"]);
  });

  test.each([[true], [false]])(
    "two copies of this one do not call each other for ever (another one on PATH: %s)",
    async (another) => {
      const host = make();
      const copy = host.at("copy/hermes");
      mkdirSync(host.at("copy"));
      host.executable(copy, readFileSync(host.script, "utf8"));
      const others = another ? [installed(host, "local")] : [];
      const { status, stdout, stderr } = await dev(host, [
        host.at("copy"),
        host.at("bin"),
        host.at("copy"),
        ...others,
      ]);
      if (another) expect([status, stdout.toString()]).toEqual([7, "local|a b||--x|"]);
      else expect([status, stderr.toString()]).toEqual([1, expect.stringContaining("HERMES_DEV=1")]);
    },
    5_000,
  );

  test("a wrapper that runs this one again in its place, by its path, is refused, and not for ever", async () => {
    const host = make();
    const calls = host.at("wrapped");
    mkdirSync(host.at("local"));
    const again = host
      .command([])
      .flat()
      .map((word) => `'${word}'`)
      .join(" ");
    // It ends by itself what would go on for ever.
    host.executable(
      host.at("local/hermes"),
      `#!/bin/sh\necho x >> '${calls}'\n[ "$(grep -c x '${calls}')" -lt 20 ] || exit 9\nexec ${again} "$@"\n`,
    );
    const { status, stdout, stderr } = await dev(host, [host.at("bin"), host.at("local")]);
    expect(stderr.toString()).toMatch(/^hermes: HERMES_DEV=1 [^\n]*local\/hermes runs this one again\n$/);
    expect([status, stdout.toString(), host.calls]).toEqual([1, "", []]);
    expect(readFileSync(calls, "utf8")).toBe("x\n".repeat(8));
  });

  test("an empty entry of PATH is the working folder, and what is not an executable file is passed over", async () => {
    const host = make();
    mkdirSync(host.at("folder/hermes"), { recursive: true });
    mkdirSync(host.at("text"));
    writeFileSync(host.at("text/hermes"), "no program", { mode: 0o644 });
    installed(host, "work");
    const { status, stdout } = await dev(host, [host.at("bin"), host.at("folder"), host.at("text"), ""]);
    expect([status, stdout.toString()]).toEqual([7, "work|a b||--x|"]);
  });

  test("without another one the error names the variable", async () => {
    const host = make();
    const { status, stderr } = await dev(host, [host.at("bin"), host.at("absent")]);
    expect(stderr.toString()).toMatch(/^hermes: HERMES_DEV=1 [^\n]*no other[^\n]*\n$/);
    expect([status, host.calls]).toEqual([1, []]);
  });

  describe("in the container itself,", () => {
    test("where the marker file and hermes_bin exist, it runs that, and no runtime", async () => {
      const host = make();
      writeFileSync(host.marker, "");
      const { args } = await host.report(["a b", ""]);
      expect([args, host.calls, host.starts.length]).toEqual([["a b", ""], [], 1]);
    });

    test("a marker alone proves nothing", async () => {
      const host = make({ seconds: 0 });
      writeFileSync(host.marker, "");
      host.metadata({ hermes_bin: host.at("opt/absent") });
      await host.run();
      expect(host.attempts.length).toBeGreaterThan(0);
    });

    test("hermes_bin alone proves nothing", async () => {
      const host = make();
      await host.report();
      expect(host.attempts).toHaveLength(1);
    });

    test("its status and signals are the program's own, and metadata that is malformed is an error there, too", async () => {
      const host = make();
      writeFileSync(host.marker, "");
      host.program("kill -TERM $$");
      expect((await host.run()).signal).toBe("SIGTERM");
      host.metadata("malformed\n");
      expect((await host.run()).status).toBe(1);
    });
  });
});
