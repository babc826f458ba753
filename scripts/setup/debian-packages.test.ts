import { expect, test } from "vitest";
import {
  isDebianFamily,
  isInstalled,
  LAB_PACKAGES,
  notRootMessage,
  unwantedUnits,
} from "./debian-packages.ts";

test("Debian, Ubuntu and what derives from them are recognised, others are not", () => {
  expect(isDebianFamily('NAME="Debian"\nID=debian\n')).toBe(true);
  expect(isDebianFamily("ID=ubuntu\nID_LIKE=debian\n")).toBe(true);
  expect(isDebianFamily('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toBe(true);
  expect(isDebianFamily('ID=fedora\nVARIANT_ID="debian"\n')).toBe(false);
  expect(isDebianFamily("")).toBe(false);
});

test("only a package that is unpacked and configured counts as installed", () => {
  expect(isInstalled("ii ")).toBe(true);
  expect(isInstalled("hi ")).toBe(true);
  expect(isInstalled("rc ")).toBe(false);
  expect(isInstalled("iU ")).toBe(false);
  expect(isInstalled(undefined)).toBe(false);
});

test("who is not root gets the command to run", () => {
  expect(notRootMessage(["socat", "skopeo"], true)).toBe(
    "These Debian packages are missing, and only root can install them: sudo apt-get install --no-install-recommends socat skopeo",
  );
});

test("the command of who is not root lets no registry start that listens on every address", () => {
  const command = (systemd: boolean): string => notRootMessage(["socat", "docker-registry"], systemd);
  expect(command(true)).toContain(
    ": sudo systemctl mask --now docker-registry.service && sudo apt-get install --no-install-recommends socat docker-registry\n",
  );
  expect(command(true)).toContain("sudo systemctl unmask docker-registry.service");
  expect(command(false)).not.toContain("systemctl");
});

test("an installation starts no server, and units of packages that are there already are left alone", () => {
  expect(LAB_PACKAGES).toContain("openssh-server");
  expect(unwantedUnits(LAB_PACKAGES)).toEqual([
    ...["docker-registry.service", "ssh.service", "ssh.socket"],
    ...["nix-daemon.service", "nix-daemon.socket"],
  ]);
  expect(unwantedUnits(["docker-registry", "socat"])).toEqual(["docker-registry.service"]);
  expect(unwantedUnits(["socat"])).toEqual([]);
});
