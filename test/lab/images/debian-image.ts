import { createHash } from "node:crypto";
import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { step } from "../../../scripts/setup/progress.ts";
import { quote } from "../../../scripts/setup/quote.ts";
import { debootstrap, requireAmd64 } from "./debootstrap.ts";
import { builtOnce, cached, here, recipe } from "./folder.ts";

export interface DiskImage {
  readonly path: string;
  readonly sha512: string;
}

/** A copy of the image's kernel. */
export const guestKernel = cached("debian-13-lab.vmlinuz");

/**
 * Stands in for Debian's genericcloud image, which the lab cannot download: the same system (cloud-init,
 * netplan, networkd, OpenSSH, the guest agent), plus podman, which the shipped cloud-init installs from a
 * mirror that the lab's guest does not reach. The whole disk is one ext4 labelled `root`; whoever boots it
 * takes `/vmlinuz` and `/initrd.img` from it.
 */
export async function ensureDebianImage(): Promise<DiskImage> {
  requireAmd64(process.arch);
  const image = cached("debian-13-lab.qcow2");
  // A step of its own, since it is the part that downloads.
  const rootArchive = cached("debian-13-root.tar");
  const rootStamp = recipe([
    "debian/packages.txt",
    "debian/customize.sh",
    "debian-image.ts",
    "debootstrap.ts",
  ]);
  const imageStamp = recipe(["debian/make-disk.sh"], [rootStamp]);
  await builtOnce(image, imageStamp, async (unfinishedImage) => {
    await builtOnce(rootArchive, rootStamp, bootstrap);
    await makeDisk(rootArchive, unfinishedImage);
    writeFileSync(`${image}.sha512`, `${await sha512(unfinishedImage)}\n`);
  });
  return { path: image, sha512: readFileSync(`${image}.sha512`, "utf8").trim() };
}

async function bootstrap(output: string): Promise<void> {
  await debootstrap({
    title: "Debian 13 for the lab's guest",
    estimateSeconds: 110,
    suite: "trixie",
    variant: "minbase",
    packages: "debian/packages.txt",
    customizeHooks: [
      `upload ${quote(join(here, "debian", "customize.sh"))} /root/customize.sh`,
      'chroot "$1" sh /root/customize.sh',
      'rm "$1/root/customize.sh"',
    ],
    output,
  });
}

async function makeDisk(rootArchive: string, output: string): Promise<void> {
  // fakeroot keeps the owners of the archive's files for mkfs when nobody is root.
  const asRoot = process.getuid?.() === 0;
  const make = [join(here, "debian", "make-disk.sh"), rootArchive, output, guestKernel];
  await step({
    title: "The guest's disk image",
    log: "image-disk",
    estimateSeconds: 15,
    command: asRoot ? ["sh", ...make] : ["fakeroot", "--", "sh", ...make],
    timeoutSeconds: 600,
  });
}

async function sha512(path: string): Promise<string> {
  const hash = createHash("sha512");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
