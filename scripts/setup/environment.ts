/** The environment in which this project calls the engine: everything stated, nothing leaking in. */
import { delimiter } from "node:path";
import type { Engine } from "./engine.ts";
import { NODE_BIN, PULUMI_HOME } from "./paths.ts";
import { installedPlugins, type PluginKind } from "./plugins.ts";

/**
 * Variables that would change what a stack does: an account, another stack or backend, endpoints and tokens of
 * providers. What a stack needs comes from its configuration.
 */
const LEAKS = /^(PULUMI_|PROXMOX_VE_|TAILSCALE_)/;

export interface EnvironmentOptions {
  engine: Pick<Engine, "binFolders">;
  /** For example `file:///somewhere`. */
  backendUrl: string;
  /** Encrypts the secrets in the state of a stack. */
  passphrase: string;
  /** Default: what lies in PULUMI_HOME. */
  plugins?: PluginKind;
  /** Default: the environment of this process. */
  base?: NodeJS.ProcessEnv;
}

/** The environment of this process, with the engine first on PATH: for a backend of the user's own. */
export function ownEnvironment(engine: Pick<Engine, "binFolders">): NodeJS.ProcessEnv {
  return { ...process.env, PATH: [...engine.binFolders, process.env["PATH"] ?? ""].join(delimiter) };
}

export function pulumiEnvironment(options: EnvironmentOptions): NodeJS.ProcessEnv {
  const base = options.base ?? process.env;
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !LEAKS.test(name)));
  const plugins = options.plugins ?? installedPlugins();
  return {
    ...kept,
    // The ordinary language host takes `node` from PATH: it must be one that runs TypeScript.
    PATH: [...options.engine.binFolders, NODE_BIN, base["PATH"] ?? ""]
      .filter((folder) => folder !== "")
      .join(delimiter),
    PULUMI_HOME,
    PULUMI_BACKEND_URL: options.backendUrl,
    PULUMI_CONFIG_PASSPHRASE: options.passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // A stand-in must not be replaced in the middle of a run.
    ...(plugins === "stand-in" ? { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" } : {}),
  };
}
