import { execFileSync } from "node:child_process";
import { constants, copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../../scripts/setup/stamps.ts";
import { stampOf } from "../images/folder.ts";
import { type ChopperImage, ensureChopperImage } from "./image.ts";
import { FILES } from "./qemu.ts";

const BASE = "base.qcow2";

/**
 * Gives the folder a disk of its own over the image, with the kernel and initrd that belong to it, unless it has one.
 * A disk stays with the image that it was made from, also when that is built anew.
 */
export async function ensureDisk(folder: string): Promise<void> {
  const image = await ensureChopperImage();
  const stamp = join(folder, "image.recipe");
  if (existsSync(join(folder, FILES.disk))) {
    if (readFileSync(stamp, "utf8") === stampOf(image.disk)) return;
    process.stderr.write(
      "This lab's chopper was made from an earlier image. `npm run lab -- down chopper` and `npm start -- chopper` make it anew.\n",
    );
    return;
  }
  takeImage(image, folder);
  writeAtomically(stamp, stampOf(image.disk));
  const unfinished = `${FILES.disk}.unfinished`;
  const create = ["create", "-q", "-f", "qcow2", "-b", BASE, "-F", "qcow2", unfinished];
  execFileSync("qemu-img", create, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  renameSync(join(folder, unfinished), join(folder, FILES.disk));
}

function takeImage({ disk, kernel, initrd }: ChopperImage, folder: string): void {
  copyFileSync(kernel, join(folder, FILES.kernel));
  copyFileSync(initrd, join(folder, FILES.initrd));
  const base = join(folder, BASE);
  rmSync(base, { force: true });
  try {
    // A build replaces the image's name and leaves this one as it is.
    linkSync(disk, base);
  } catch {
    copyFileSync(disk, base, constants.COPYFILE_FICLONE);
  }
}
