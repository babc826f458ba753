import * as sdk from "@pulumi/policy/proxy.js";
import { asset } from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../reading/content.ts";
import { plain } from "./plain.ts";

const { unknownCheckingProxy, unknownStringValue, unknownArrayValue } = sdk as unknown as {
  unknownCheckingProxy(props: object): Record<string, unknown>;
  unknownStringValue: string;
  unknownArrayValue: string;
};

describe("plain, behind the policy SDK's own wrapper", () => {
  it("gives what is known beside what is not, where the wrapper throws", async () => {
    const wrapped = unknownCheckingProxy({
      image: "x:latest",
      host: unknownStringValue,
      volumes: [{ source: unknownStringValue, target: "/opt/data" }],
      ports: unknownArrayValue,
    });
    expect(() => wrapped["host"]).toThrow("can't be known during preview");
    expect(await plain(wrapped)).toEqual({
      image: "x:latest",
      host: UNKNOWN,
      volumes: [{ source: UNKNOWN, target: "/opt/data" }],
      ports: UNKNOWN,
    });
  });

  it("reads assets, and archives of them", async () => {
    const wrapped = unknownCheckingProxy({
      source: new asset.StringAsset("text"),
      file: new asset.FileAsset("/etc/hostname"),
      archive: new asset.AssetArchive({ "a/b": new asset.StringAsset("inner") }),
    });
    expect(await plain(wrapped)).toEqual({
      source: { text: "text" },
      file: { path: "/etc/hostname" },
      archive: { assets: { "a/b": { text: "inner" } } },
    });
  });

  it("takes properties that are called like JavaScript's own as any other", async () => {
    const props = JSON.parse('{ "__proto__": { "polluted": true }, "constructor": "x" }') as object;
    const values = await plain(unknownCheckingProxy(props));
    expect(Object.keys(values)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("takes plain properties as well", async () => {
    expect(await plain({ a: [1, null, true] })).toEqual({ a: [1, null, true] });
  });
});
