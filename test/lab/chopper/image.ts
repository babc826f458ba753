import { join } from "node:path";
import { step } from "../../../scripts/setup/progress.ts";
import { quote } from "../../../scripts/setup/quote.ts";
import { fingerprint } from "../../../scripts/setup/stamps.ts";
import { debootstrap, requireAmd64 } from "../images/debootstrap.ts";
import { builtOnce, cached, recipe } from "../images/folder.ts";
import { filesBelow } from "./files-below.ts";

/** What QEMU needs to boot the lab's chopper. */
export interface ChopperImage {
  /** One ext4 labelled `root`: the system disk, to be used as a backing file. */
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

const here = import.meta.dirname;
const fromImages = (name: string): string => join("..", "chopper", name);

/**
 * Builds the disk of the lab's chopper once: Debian 13 with Nix, OpenSSH, systemd-nspawn and podman, laid out so
 * that what was written for a NixOS host with microvm.nix runs on it. It carries no key and no identity: those
 * come from outside when it boots.
 */
export async function ensureChopperImage(): Promise<ChopperImage> {
  requireAmd64(process.arch);
  const disk = cached("chopper.qcow2");
  const kernel = cached("chopper.vmlinuz");
  const initrd = cached("chopper.initrd");
  // A step of its own, since it is the part that downloads.
  const rootArchive = cached("chopper-root.tar");
  const rootStamp = recipe([
    fromImages("debian/packages.txt"),
    fromImages("debian/customize.sh"),
    "debootstrap.ts",
  ]);
  const diskStamp = fingerprint(
    rootStamp,
    ...["root", "nix", "debian", "microvm"].flatMap((name) => filesBelow(join(here, name)).flat()),
  );
  await builtOnce(disk, diskStamp, async (unfinished) => {
    await builtOnce(rootArchive, rootStamp, bootstrap);
    await makeDisk(rootArchive, unfinished, kernel, initrd);
  });
  return { disk, kernel, initrd };
}

async function bootstrap(output: string): Promise<void> {
  await debootstrap({
    title: "Debian 13 for the lab's chopper",
    estimateSeconds: 120,
    suite: "trixie",
    variant: "minbase",
    packages: fromImages("debian/packages.txt"),
    customizeHooks: [
      `upload ${quote(join(here, "debian", "customize.sh"))} /root/customize.sh`,
      'chroot "$1" sh /root/customize.sh',
      'rm "$1/root/customize.sh"',
    ],
    output,
  });
}

async function makeDisk(rootArchive: string, output: string, kernel: string, initrd: string): Promise<void> {
  // fakeroot keeps the owners of the archive's files for mkfs when nobody is root.
  const asRoot = process.getuid?.() === 0;
  const make = [join(here, "debian", "make-disk.sh"), rootArchive, here, output, kernel, initrd];
  await step({
    title: "The disk of the lab's chopper",
    log: "chopper-disk",
    estimateSeconds: 20,
    command: asRoot ? ["sh", ...make] : ["fakeroot", "--", "sh", ...make],
    timeoutSeconds: 600,
  });
}
