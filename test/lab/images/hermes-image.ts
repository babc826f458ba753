import { rmSync } from "node:fs";
import { join } from "node:path";
import { step, stepFunction } from "../../../scripts/setup/progress.ts";
import { quote } from "../../../scripts/setup/quote.ts";
import { debootstrap, requireAmd64 } from "./debootstrap.ts";
import { builtOnce, cached, here, recipe } from "./folder.ts";
import { unpackHermes } from "./hermes-wheels.ts";
import { type ImageConfig, writeImageLayout } from "./oci-archive.ts";

export interface HermesImage {
  readonly ociArchive: string;
  readonly reference: string;
}

/** Hermes 0.19.0 is the release that this tag of the official image carries. */
export const hermesReference = "docker.io/nousresearch/hermes-agent:v2026.7.20";

const config: ImageConfig = {
  // Default command empty and no HEALTHCHECK, as in the official image.
  Entrypoint: ["/opt/hermes/init.py"],
  Env: [
    "PATH=/opt/data/.local/bin:/opt/hermes/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HERMES_HOME=/opt/data",
    "LANG=C.UTF-8",
    "PYTHONUNBUFFERED=1",
    // The install tree is read-only for the user hermes anyhow.
    "PYTHONDONTWRITEBYTECODE=1",
  ],
  WorkingDir: "/opt/data",
  Labels: {
    "org.opencontainers.image.title": "Hermes Agent 0.19.0 for the lab",
    "org.opencontainers.image.description":
      "Built locally from the Python release; stands in for the official image, with an init of its own",
    "org.opencontainers.image.version": "v2026.7.20",
  },
};

/** Builds the Hermes image from the Python release, without running a container. */
export async function ensureHermesImage(): Promise<HermesImage> {
  requireAmd64(process.arch);
  const archive = cached("hermes-agent.oci.tar");
  const wheels = cached("hermes-wheels.tar");
  const root = cached("hermes-root.tar");
  const wheelsStamp = recipe(["hermes-requirements.txt", "hermes-wheels.ts", "hermes/unpack.sh"]);
  const rootStamp = recipe(
    ["hermes/packages.txt", "hermes/customize.sh", "hermes/hermes", "hermes/init.py", "debootstrap.ts"],
    [wheelsStamp],
  );
  const archiveStamp = recipe(["oci-archive.ts", "hermes-image.ts"], [rootStamp]);
  await builtOnce(archive, archiveStamp, async (unfinished) => {
    await builtOnce(wheels, wheelsStamp, unpackHermes);
    await builtOnce(root, rootStamp, (output) => bootstrap(wheels, output));
    await pack(root, unfinished);
  });
  return { ociArchive: archive, reference: hermesReference };
}

async function bootstrap(wheels: string, output: string): Promise<void> {
  await debootstrap({
    title: "Debian 12 with Hermes, as the container's file system",
    estimateSeconds: 60,
    suite: "bookworm",
    variant: "essential",
    packages: "hermes/packages.txt",
    customizeHooks: [
      `tar-in ${quote(wheels)} /`,
      ...["customize.sh", "hermes", "init.py"].map(
        (name) => `upload ${quote(join(here, "hermes", name))} /root/${name}`,
      ),
      'chroot "$1" sh /root/customize.sh',
      'rm "$1/root/customize.sh"',
    ],
    output,
  });
}

async function pack(root: string, archive: string): Promise<void> {
  const layout = `${archive}.layout`;
  rmSync(layout, { recursive: true, force: true });
  await stepFunction("The Hermes image's layer", 15, () =>
    writeImageLayout(layout, root, hermesReference, config),
  );
  await step({
    title: "The Hermes image",
    log: "image-hermes-archive",
    estimateSeconds: 2,
    command: [
      "tar",
      "-c",
      "--sort=name",
      "--mtime=@0",
      "--owner=0",
      "--group=0",
      "-f",
      archive,
      "-C",
      layout,
      ".",
    ],
  });
  rmSync(layout, { recursive: true, force: true });
}
