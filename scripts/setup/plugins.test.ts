import { expect, test } from "vitest";
import { wantedPlugins } from "./plugins.ts";

test("the plugins are those of the installed Node packages, with the place to download them", () => {
  const versions = expect.stringMatching(/^\d+\.\d+\.\d+$/);
  expect(wantedPlugins()).toEqual([
    { name: "random", version: versions },
    { name: "command", version: versions },
    { name: "proxmoxve", version: versions, server: "github://api.github.com/muhlba91/pulumi-proxmoxve" },
  ]);
});
