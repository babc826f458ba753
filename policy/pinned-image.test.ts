import { describe, expect, it } from "vitest";
import { violations } from "../test/support/policy.ts";
import { pinnedImage } from "./pinned-image.ts";

const NAME = "docker.io/nousresearch/hermes-agent";
const check = (image: unknown) =>
  violations(pinnedImage, { type: "hermes:index:HermesContainer", props: { image } });

describe("the gate pinned-image", () => {
  it.each([
    `${NAME}:v2026.7.20`,
    `${NAME}:v2026.8.16.2`,
    `${NAME}:v0.22.0`,
    `${NAME}:v2026.7.20@sha256:${"a".repeat(64)}`,
    "registry.lan:5000/hermes:v1.2.3",
    "localhost/hermes:v1.2.3",
    "registry:5000/hermes:v1.2.3",
  ])("lets %s through", async (image) => {
    expect(await check(image)).toEqual([]);
  });

  it.each([
    NAME,
    `${NAME}:latest`,
    `${NAME}:stable`,
    `${NAME}:main`,
    `${NAME}:v2026.7`,
    `${NAME}:v2026.7.20-rc1`,
    `${NAME}:V2026.7.20`,
    `${NAME}:v2026.7.20 `,
    `${NAME}:latest@sha256:${"a".repeat(64)}`,
    `${NAME}@sha256:${"a".repeat(64)}`,
    `${NAME}:v2026.7.20@sha256:abc`,
    "registry.lan:v1.2.3/hermes",
    "registry.lan:5000/hermes",
    "hermes-agent:v2026.7.20",
    "nousresearch/hermes-agent:v2026.7.20",
    "-x.y/z:v1.2.3",
    "docker.io/../z:v1.2.3",
    "docker.io:99999/z:v1.2.3",
    `${NAME}:v9999.99.99`,
    `docker.io/${"a".repeat(300)}:v1.2.3`,
    "",
    undefined,
  ])("refuses %j", async (image) => {
    expect(await check(image)).toHaveLength(1);
  });

  it("names the resource, the value and the fix", async () => {
    const [message] = await check(`${NAME}:latest`);
    expect(message).toMatch(
      /The image of it, ".*:latest", has the tag "latest", which can move\..*Take a release tag/s,
    );
  });

  it("has nothing to say of other resources", async () => {
    expect(await violations(pinnedImage, { type: "x:y:Z", props: { image: "latest" } })).toEqual([]);
  });
});
