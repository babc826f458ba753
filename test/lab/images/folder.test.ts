import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { builtOnce, isComplete, recipe, stampOf } from "./folder.ts";

const folder = mkdtempSync(join(tmpdir(), "built-"));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (text: string) => async (path: string) => writeFileSync(path, text);
const never = async () => {
  throw new Error("built again");
};

describe("builtOnce", () => {
  it("builds once for a stamp, and again for another", async () => {
    const target = join(folder, "once");
    expect(await builtOnce(target, "first", write("one"))).toBe(true);
    expect(await builtOnce(target, "first", never)).toBe(false);
    expect(await builtOnce(target, "second", write("two"))).toBe(true);
    expect(readFileSync(target, "utf8")).toBe("two");
    expect(stampOf(target)).toBe("second");
  });

  it("keeps nothing of a build that failed, and keeps what was there before", async () => {
    const target = join(folder, "failing");
    await builtOnce(target, "old", write("old"));
    const half = async (path: string) => {
      writeFileSync(path, "half");
      throw new Error("no space");
    };
    await expect(builtOnce(target, "new", half)).rejects.toThrow("no space");
    expect(readFileSync(target, "utf8")).toBe("old");
    await builtOnce(target, "new", async (path) => {
      expect(existsSync(path)).toBe(false);
      writeFileSync(path, "new");
    });
    expect(readFileSync(target, "utf8")).toBe("new");
  });

  it("does not take something without a stamp for complete", () => {
    const target = join(folder, "unstamped");
    writeFileSync(target, "");
    expect(isComplete(target)).toBe(false);
  });
});

describe("recipe", () => {
  it("changes with a source and with an earlier step's stamp", () => {
    const stamps = [recipe(["folder.ts"]), recipe(["debootstrap.ts"]), recipe(["folder.ts"], ["earlier"])];
    expect(new Set(stamps).size).toBe(3);
    expect(recipe(["folder.ts"])).toBe(stamps[0]);
  });
});
