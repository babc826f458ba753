import { describe, expect, it } from "vitest";
import { option, positionals, program, typed } from "./argv.ts";
import { UNKNOWN } from "./content.ts";

const command = (...words: (string | typeof UNKNOWN)[]) => ({ at: "create", words, environment: {} });

describe("a command's program", () => {
  it("has no folder", () => {
    expect(program(command("/usr/bin/tailscale", "up"))).toBe("tailscale");
    expect(program(command("tailscale"))).toBe("tailscale");
  });

  it("is not told where only the running shell knows it, nor of no command", () => {
    expect(program(command(UNKNOWN, "up"))).toBeUndefined();
    expect(program(command())).toBeUndefined();
  });
});

describe("positional arguments", () => {
  it("are the words that are no options, unknown ones and `-` among them", () => {
    expect(positionals(["run", "-d", UNKNOWN, "--rm", "-", "image"])).toEqual(["run", UNKNOWN, "-", "image"]);
  });

  it("are not the values of options that take the next word", () => {
    expect(positionals(["-v", "a:b", "image", "--name", "hermes"], ["-v", "--name"])).toEqual(["image"]);
    expect(positionals(["--name=x", "image"], ["--name"])).toEqual(["image"]);
  });

  it("are all words behind `--`", () => {
    expect(positionals(["a", "--", "-b", "--", "c"])).toEqual(["a", "-b", "--", "c"]);
  });

  it("end where an option's value is missing", () => {
    expect(positionals(["a", "-v"], ["-v"])).toEqual(["a"]);
  });
});

describe("an option's value", () => {
  it("is the next word, or stands behind `=`", () => {
    expect(option(["run", "--user", "root"], "--user")).toBe("root");
    expect(option(["--user=a=b"], "--user")).toBe("a=b");
  });

  it("is found by any of its names, unknown words before it or not", () => {
    expect(option([UNKNOWN, "-u", UNKNOWN], "--user", "-u")).toBe(UNKNOWN);
  });

  it("is that of the first one", () => {
    expect(option(["-u", "a", "-u", "b"], "-u")).toBe("a");
  });

  it("is not told of an option that only begins like it, nor of none", () => {
    expect(option(["--username", "root"], "--user")).toBeUndefined();
    expect(option([], "--user")).toBeUndefined();
  });
});

describe("a command as a person types it", () => {
  it("has quotes only where the shell needs them", () => {
    expect(typed(command("podman", "-e", "A_1@%+=:,./-x", "say hi", UNKNOWN, "", "a b$", " c"))).toBe(
      'podman -e A_1@%+=:,./-x "say hi" … "" "a b$" " c"',
    );
  });
});
