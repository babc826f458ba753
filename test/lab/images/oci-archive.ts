import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/**
 * Writes a folder in the OCI image layout with one image of one layer, without running anything: containers
 * may not work on the machine that builds. One layer, since a puller unpacks layers one after the other.
 */
export async function writeImageLayout(
  folder: string,
  layerTar: string,
  reference: string,
  config: ImageConfig,
): Promise<void> {
  const blobs = join(folder, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const layer = await compressLayer(layerTar, blobs);
  const configBlob = writeJson(blobs, {
    created: "1970-01-01T00:00:00Z",
    architecture: "amd64",
    os: "linux",
    config,
    rootfs: { type: "layers", diff_ids: [layer.diffId] },
    history: [{ created: "1970-01-01T00:00:00Z", created_by: "the lab's image build" }],
  });
  const manifest = writeJson(blobs, {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", ...configBlob },
    layers: [
      { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", digest: layer.digest, size: layer.size },
    ],
  });
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(
    join(folder, "index.json"),
    JSON.stringify({
      schemaVersion: 2,
      manifests: [
        {
          mediaType: "application/vnd.oci.image.manifest.v1+json",
          ...manifest,
          annotations: { "org.opencontainers.image.ref.name": reference },
        },
      ],
    }),
  );
}

async function compressLayer(tar: string, blobs: string): Promise<Blob & { readonly diffId: string }> {
  const uncompressed = createHash("sha256");
  const compressed = createHash("sha256");
  const unfinished = join(blobs, "layer.unfinished");
  rmSync(unfinished, { force: true });
  await pipeline(
    createReadStream(tar),
    hashing(uncompressed),
    // zstd is smaller, but podman under emulation took a third longer for it: its decoder spreads over threads.
    createGzip({ level: 6 }),
    hashing(compressed),
    createWriteStream(unfinished),
  );
  const hex = compressed.digest("hex");
  renameSync(unfinished, join(blobs, hex));
  return {
    digest: `sha256:${hex}`,
    size: statSync(join(blobs, hex)).size,
    diffId: `sha256:${uncompressed.digest("hex")}`,
  };
}

function hashing(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

function writeJson(blobs: string, value: unknown): Blob {
  const text = JSON.stringify(value);
  const hex = createHash("sha256").update(text).digest("hex");
  writeFileSync(join(blobs, hex), text);
  return { digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
}
