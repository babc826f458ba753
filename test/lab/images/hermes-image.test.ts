import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageList } from "./debootstrap.ts";
import { here } from "./folder.ts";
import { hermesReference } from "./hermes-image.ts";

describe("hermes-requirements.txt", () => {
  const lines = packageList(join(here, "hermes-requirements.txt"));

  it("pins every package to one version and one hash, and names no registry", () => {
    for (const line of lines) {
      expect(line).toMatch(/^[a-z0-9-]+==[^ ]+ --hash=sha256:[0-9a-f]{64}$/);
    }
    expect(new Set(lines.map((line) => line.split("==")[0])).size).toBe(lines.length);
  });

  it("holds the Hermes release that the image's tag stands for", () => {
    expect(lines.filter((line) => line.startsWith("hermes-agent==0.19.0 "))).toHaveLength(1);
    expect(hermesReference).toBe("docker.io/nousresearch/hermes-agent:v2026.7.20");
  });
});

describe("the guest's registries", () => {
  it("send the official name to the lab's registry and nothing else", () => {
    const script = readFileSync(join(here, "debian/customize.sh"), "utf8");
    const name = hermesReference.slice(0, hermesReference.lastIndexOf(":"));
    expect(script).toContain(`prefix = "${name}"`);
    expect(script.match(/\[\[registry\]\]/g)).toHaveLength(1);
  });
});
