import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeImageLayout } from "./oci-archive.ts";

const folder = mkdtempSync(join(tmpdir(), "layout-"));
const layer = Buffer.alloc(100_000, "layer");
const config = { Entrypoint: ["/init"], Env: ["A=1"], WorkingDir: "/", Labels: {} };

beforeAll(async () => {
  writeFileSync(join(folder, "layer.tar"), layer);
  await writeImageLayout(folder, join(folder, "layer.tar"), "registry.example/name:tag", config);
});
afterAll(() => rmSync(folder, { recursive: true }));

const sha256 = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

function blob(descriptor: Descriptor): Buffer {
  const bytes = readFileSync(join(folder, "blobs", descriptor.digest.replace(":", "/")));
  expect(sha256(bytes)).toBe(descriptor.digest);
  expect(bytes.length).toBe(descriptor.size);
  return bytes;
}

describe("writeImageLayout", () => {
  it("leads from the index over manifest and config to the layer's bytes, each under its own digest", () => {
    const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
    expect(index.manifests[0].annotations["org.opencontainers.image.ref.name"]).toBe(
      "registry.example/name:tag",
    );
    const manifest = JSON.parse(blob(index.manifests[0]).toString());
    const image = JSON.parse(blob(manifest.config).toString());
    expect(image.config).toEqual(config);
    expect(image.rootfs.diff_ids).toEqual([sha256(layer)]);
    expect(gunzipSync(blob(manifest.layers[0])).equals(layer)).toBe(true);
  });
});
