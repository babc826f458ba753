import { expect, test } from "vitest";
import { isDebianFamily, isInstalled, notRootMessage } from "./debian-packages.ts";

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
  expect(notRootMessage(["socat", "skopeo"])).toContain(
    "sudo apt-get install --no-install-recommends socat skopeo",
  );
});
