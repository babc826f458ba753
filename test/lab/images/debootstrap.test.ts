import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { debianMirror, packageList, requireAmd64 } from "./debootstrap.ts";
import { here } from "./folder.ts";

const folder = mkdtempSync(join(tmpdir(), "debootstrap-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("debianMirror", () => {
  it("takes the archive that the machine's own apt uses, and not the one for security updates", () => {
    const sources = [
      "http://mirror.example/debian-security|bookworm-security|Debian",
      "http://tools.example/apt|stable|Some Vendor",
      "http://mirror.example/debian|bookworm|Debian",
    ].join("\n");
    expect(debianMirror(sources)).toBe("http://mirror.example/debian");
  });

  it("leaves the choice to mmdebstrap where no source is Debian's", () => {
    expect(debianMirror("http://mirror.example/ubuntu|noble|Ubuntu\n")).toBeUndefined();
    expect(debianMirror("")).toBeUndefined();
  });
});

describe("packageList", () => {
  it("reads one package a line and leaves out comments and empty lines", () => {
    const file = join(folder, "packages.txt");
    writeFileSync(file, "# why\nsudo\n\npython3 # for cloud-init\n");
    expect(packageList(file)).toEqual(["sudo", "python3"]);
  });

  it("gives the guest what a shipped deployment needs of Debian's image", () => {
    const packages = packageList(join(here, "debian/packages.txt"));
    expect(packages).toEqual(
      expect.arrayContaining(["cloud-init", "qemu-guest-agent", "podman", "openssh-server"]),
    );
  });
});

describe("requireAmd64", () => {
  it("accepts x86-64 and names another architecture", () => {
    expect(() => requireAmd64("x64")).not.toThrow();
    expect(() => requireAmd64("arm64")).toThrow(/x86-64 only; this machine is arm64/);
  });
});
