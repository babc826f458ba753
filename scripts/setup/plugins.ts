/** The provider plugins in this project's PULUMI_HOME: all real ones, or all stand-ins, never a mixture. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isExecutable } from "./commands.ts";
import { writeExecutable } from "./engine/wrappers.ts";
import type { Engine } from "./engine.ts";
import { withLock } from "./lock.ts";
import { NODE, NODE_MODULES, PLUGINS, PULUMI_HOME, ROOT } from "./paths.ts";
import { isInterruption, step } from "./progress.ts";
import { quote } from "./quote.ts";
import { forgetRefusal, recentRefusal, refusalNote, rememberRefusal } from "./stamps.ts";

/** Node packages whose provider the lab's stack runs. */
const PACKAGES = ["@pulumi/random", "@pulumi/command", "@muhlba91/pulumi-proxmoxve"] as const;
const STAND_INS = join(ROOT, "test/lab/plugins");
const STAND_IN_MARK = "# A stand-in of this project";
const REFUSAL = "plugins";
/** A plugin is 10 to 60 MB. */
const LIMIT_SECONDS = 120;

export interface Plugin {
  name: string;
  version: string;
  /** Where the CLI downloads it when that is not the vendor's own place. */
  server?: string;
}

export type PluginKind = "real" | "stand-in";

/** Name, version and server as the installed Node packages state them: the engine asks for exactly these. */
export function wantedPlugins(): Plugin[] {
  return PACKAGES.map((name) => {
    const file = join(NODE_MODULES, name, "package.json");
    const { pulumi } = JSON.parse(readFileSync(file, "utf8")) as { pulumi?: Plugin };
    if (pulumi?.name === undefined || pulumi.version === undefined) {
      throw new Error(
        `${file} names no Pulumi plugin ("pulumi": {"name", "version"}): is it the right package?`,
      );
    }
    const { version, server } = pulumi;
    return {
      name: pulumi.name,
      version: version.replace(/^v/, ""),
      ...(server === undefined ? {} : { server }),
    };
  });
}

/** Makes sure that the plugins are there; says which kind they are. */
export async function ensurePlugins(engine: Engine): Promise<PluginKind> {
  return await withLock("plugins", async () => {
    const plugins = wantedPlugins();
    if (plugins.every((plugin) => kindOf(plugin) === "real")) return "real";
    if (engine.source !== "build" && (await installReal(engine, plugins))) return "real";
    for (const plugin of plugins) installStandIn(plugin);
    return "stand-in";
  });
}

/** What lies in PULUMI_HOME now; undefined when a plugin is missing. */
export function installedPlugins(): PluginKind | undefined {
  const kinds = new Set(wantedPlugins().map(kindOf));
  if (kinds.has(undefined)) return undefined;
  return kinds.has("stand-in") ? "stand-in" : "real";
}

const folderOf = ({ name, version }: Plugin): string => join(PLUGINS, `resource-${name}-v${version}`);

function kindOf(plugin: Plugin): PluginKind | undefined {
  const folder = folderOf(plugin);
  const executable = join(folder, `pulumi-resource-${plugin.name}`);
  // The engine leaves FOLDER.partial beside a plugin whose installation has not ended.
  if (!isExecutable(executable) || existsSync(`${folder}.partial`)) return undefined;
  return readFileSync(executable).subarray(0, 200).includes(STAND_IN_MARK) ? "stand-in" : "real";
}

async function installReal(engine: Engine, plugins: readonly Plugin[]): Promise<boolean> {
  const refusal = recentRefusal(REFUSAL);
  if (refusal !== undefined) {
    process.stderr.write(`Pulumi plugins: stand-ins; no download (${refusalNote(REFUSAL, refusal)})\n`);
    return false;
  }
  try {
    for (const plugin of plugins) {
      if (kindOf(plugin) === "real") continue;
      remove(plugin);
      await step({
        title: `Pulumi plugin ${plugin.name} ${plugin.version}: downloading`,
        log: `plugin-${plugin.name}`,
        estimateSeconds: 20,
        command: [
          engine.pulumi,
          ...["plugin", "install", "resource", plugin.name, plugin.version],
          ...(plugin.server === undefined ? [] : ["--server", plugin.server]),
        ],
        env: { ...process.env, PULUMI_HOME, PULUMI_SKIP_UPDATE_CHECK: "true" },
        timeoutSeconds: LIMIT_SECONDS,
        mayFail: true,
      });
      if (kindOf(plugin) !== "real")
        throw new Error(`the CLI reported success, but ${folderOf(plugin)} is not there`);
    }
    forgetRefusal(REFUSAL);
    return true;
  } catch (error) {
    // Also those that were downloaded: never a mixture.
    for (const plugin of plugins) remove(plugin);
    if (isInterruption(error)) throw error;
    rememberRefusal(REFUSAL, (error as Error).message);
    return false;
  }
}

function remove(plugin: Plugin): void {
  for (const suffix of ["", ".partial", ".lock"]) {
    rmSync(`${folderOf(plugin)}${suffix}`, { recursive: true, force: true });
  }
}

function installStandIn(plugin: Plugin): void {
  const script = join(STAND_INS, `${plugin.name}.ts`);
  if (!existsSync(script))
    throw new Error(`There is no stand-in for the plugin ${plugin.name}: ${script} is missing.`);
  const folder = folderOf(plugin);
  if (kindOf(plugin) !== "stand-in") remove(plugin);
  mkdirSync(folder, { recursive: true });
  writeExecutable(join(folder, `pulumi-resource-${plugin.name}`), [
    `${STAND_IN_MARK} for the provider ${plugin.name} ${plugin.version}, for its lab only.`,
    `exec ${quote(NODE)} ${quote(script)} "$@"`,
  ]);
}
