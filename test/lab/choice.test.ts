import { expect, test } from "vitest";
import { chooseStack } from "./choice.ts";

test("a stack that is named is the one that is meant, and is not passed on", () => {
  expect(chooseStack(["chopper", "-L", "1:2:3"], ["pve-sbx", "chopper"])).toEqual({
    stack: "chopper",
    rest: ["-L", "1:2:3"],
  });
});

test("without a name the only lab is meant", () => {
  expect(chooseStack(["-L", "1:2:3"], ["chopper"])).toEqual({ stack: "chopper", rest: ["-L", "1:2:3"] });
});

test("without a name and with both labs, or none, that of pve-sbx is meant", () => {
  expect(chooseStack([], ["pve-sbx", "chopper"]).stack).toBe("pve-sbx");
  expect(chooseStack([], []).stack).toBe("pve-sbx");
});

test("a stack's name is only looked for at the first place: after it, it is an argument for ssh", () => {
  expect(chooseStack(["--", "chopper"], ["pve-sbx"])).toEqual({ stack: "pve-sbx", rest: ["--", "chopper"] });
});
