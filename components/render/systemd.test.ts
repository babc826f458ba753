import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathUnit, unitFile, word } from "./systemd.ts";

describe("word", () => {
  it("leaves plain words as they are", () => {
    expect(word("HERMES_DASHBOARD_HOST=127.0.0.1")).toBe("HERMES_DASHBOARD_HOST=127.0.0.1");
  });

  it("quotes spaces, quotes, backslashes and the empty word, and doubles specifiers", () => {
    expect(word("a b")).toBe('"a b"');
    expect(word('say "hi" \\ 100%')).toBe('"say \\"hi\\" \\\\ 100%%"');
    expect(word("")).toBe('""');
  });

  it("refuses line breaks, which would start a new setting", () => {
    expect(() => word("x\nUser=root")).toThrow(RangeError);
  });

  it("survives any printable text: undoing the quoting gives the text back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: such texts are refused
        fc.pre(!/[\u0000-\u001f\u007f]/.test(text));
        expect(unquote(word(text))).toBe(text);
      }),
    );
  });
});

describe("pathUnit", () => {
  it.each([
    ["/var/lib/hermes", "mount", "var-lib-hermes.mount"],
    ["/", "mount", "-.mount"],
    [
      "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_hermes-data",
      "device",
      "dev-disk-by\\x2did-scsi\\x2d0QEMU_QEMU_HARDDISK_hermes\\x2ddata.device",
    ],
    ["/srv/.hidden", "mount", "srv-.hidden.mount"],
  ] as const)("names %s as systemd-escape does", (path, suffix, unit) => {
    expect(pathUnit(path, suffix)).toBe(unit);
    if (installed("systemd-escape")) {
      expect(
        execFileSync("systemd-escape", ["--path", `--suffix=${suffix}`, path], { encoding: "utf8" }).trim(),
      ).toBe(unit);
    }
  });
});

describe("unitFile", () => {
  it("starts with who wrote it and leaves empty sections out", () => {
    expect(
      unitFile([
        ["Unit", [["Description", "x"]]],
        ["Install", []],
      ]),
    ).toBe(
      '# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.\n\n[Unit]\nDescription=x\n',
    );
  });
});

/** What systemd reads from a word: the inverse of the documented quoting. */
function unquote(text: string): string {
  const inner = text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/gs, "$1") : text;
  return inner.replaceAll("%%", "%");
}

function installed(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}
