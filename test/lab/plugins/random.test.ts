import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Driver } from "./base/driver.ts";
import { isSecret, reveal, secret, UNKNOWN } from "./base/values.ts";

const PASSWORD = "random:index/randomPassword:RandomPassword";
const ID = "random:index/randomId:RandomId";

let plugin: Driver;
beforeAll(async () => {
  plugin = await Driver.start("random");
});
afterAll(() => plugin.stop());

describe("the random stand-in", () => {
  it("names every property that the SDK does not know, that is missing, or that has the wrong type", async () => {
    const { failures } = await plugin.check(PASSWORD, { lenght: 3, special: "yes", keepers: { a: 1 } });
    expect(failures.map(({ property }) => property).sort()).toEqual(
      ["keepers.a", "length", "lenght", "special"].sort(),
    );
    expect(failures.find(({ property }) => property === "special")?.reason).toBe(
      "special is a string; allowed is a boolean",
    );
  });

  it("takes unknown and secret values for what they will be", async () => {
    const { failures } = await plugin.check(PASSWORD, { length: UNKNOWN, overrideSpecial: secret("_") });
    expect(failures).toEqual([]);
  });

  it("refuses a length that cannot hold what must be in it", async () => {
    const { failures } = await plugin.check(PASSWORD, { length: 3, minLower: 2, minUpper: 2 });
    expect(failures).toEqual([
      { property: "length", reason: "length is 3; allowed is a whole number from 4" },
    ]);
  });

  it("draws a secret password of the wanted characters, and another one each time", async () => {
    const inputs = { length: 40, special: false, minNumeric: 5 };
    const first = await plugin.create(PASSWORD, inputs);
    const second = await plugin.create(PASSWORD, inputs);
    expect(isSecret(first.outputs["result"])).toBe(true);
    expect(first.id).toBe("none");
    const text = String(reveal(first.outputs["result"] ?? null));
    expect(text).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(text.match(/\d/g)?.length).toBeGreaterThanOrEqual(5);
    expect(second.outputs["result"]).not.toEqual(first.outputs["result"]);
  });

  it("writes one number in four ways", async () => {
    const { id, outputs } = await plugin.create(ID, { byteLength: 8, prefix: "p-" });
    const hex = String(outputs["hex"]);
    expect(hex).toMatch(/^p-[0-9a-f]{16}$/);
    expect(outputs["b64Url"]).toBe(`p-${id}`);
    expect(outputs["dec"]).toBe(`p-${BigInt(`0x${hex.slice(2)}`)}`);
  });

  it("tells no value in a preview", async () => {
    const { outputs } = await plugin.create(PASSWORD, { length: 12 }, true);
    expect(reveal(outputs["result"] ?? null)).toBe(UNKNOWN);
    expect(isSecret(outputs["result"])).toBe(true);
  });

  it("replaces on changed keepers, and on nothing else", async () => {
    const olds = { length: 12, keepers: { a: "1" } };
    const { outputs } = await plugin.create(PASSWORD, olds);
    expect((await plugin.diff(PASSWORD, "none", outputs, olds, olds)).changed).toBe(false);
    const changed = await plugin.diff(PASSWORD, "none", outputs, olds, { ...olds, keepers: { a: "2" } });
    expect(changed.replaces).toEqual(["keepers"]);
    expect(changed.details).toEqual({ "keepers.a": 5 });
  });

  it("says of another type where it can be had", async () => {
    await expect(plugin.check("random:index/randomPet:RandomPet", {})).rejects.toThrow(
      /random:index\/randomPet:RandomPet is not in this stand-in; the real provider "random" 4.21.2 has it/,
    );
  });
});
