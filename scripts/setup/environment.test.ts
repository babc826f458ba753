import { expect, test } from "vitest";
import { pulumiEnvironment } from "./environment.ts";
import { NODE_BIN, PULUMI_HOME } from "./paths.ts";

const options = { engine: { binFolders: ["/engine"] }, backendUrl: "file:///state", passphrase: "p" };

test("accounts, stacks and tokens of the caller do not leak into a stack", () => {
  const base = {
    HOME: "/root",
    PATH: "/usr/bin",
    PULUMI_ACCESS_TOKEN: "a",
    PULUMI_STACK: "b",
    PULUMI_CONFIG_PASSPHRASE_FILE: "c",
    PROXMOX_VE_API_TOKEN: "d",
    TAILSCALE_API_KEY: "e",
  };
  expect(pulumiEnvironment({ ...options, base, plugins: "real" })).toEqual({
    HOME: "/root",
    PATH: `/engine:${NODE_BIN}:/usr/bin`,
    PULUMI_HOME,
    PULUMI_BACKEND_URL: "file:///state",
    PULUMI_CONFIG_PASSPHRASE: "p",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  });
});

test("stand-in plugins are not replaced by downloads", () => {
  expect(pulumiEnvironment({ ...options, base: {}, plugins: "stand-in" })).toMatchObject({
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  });
});
