/** Where everything lies. Nothing outside the checkout is written, and in it only below `.cache`. */
import { dirname, join } from "node:path";

export const ROOT = dirname(dirname(import.meta.dirname));
export const NODE_MODULES = join(ROOT, "node_modules");

/** Ignored by git: everything that was downloaded, built or is running. */
export const CACHE = join(ROOT, ".cache");
export const LOGS = join(CACHE, "logs");
export const LOCKS = join(CACHE, "locks");
/** Small notes that a later run reads: what was refused, and when. */
export const STATE = join(CACHE, "state");

export const TOOLS = join(CACHE, "tools");
export const NODE_PREFIX = join(TOOLS, "node");
/** The engine that was built from Go modules, with the language host beside it. */
export const ENGINE = join(TOOLS, "engine");
export const ENGINE_BIN = join(ENGINE, "bin");
/** The engine that the vendor's npm package downloaded. */
export const PULUMI_CLI = join(TOOLS, "pulumi-cli");
export const PYTHON_VENV = join(TOOLS, "python");

export const PULUMI_HOME = join(CACHE, "pulumi");
export const PLUGINS = join(PULUMI_HOME, "plugins");
export const IMAGES = join(CACHE, "images");
export const REGISTRY = join(IMAGES, "registry");
export const LABS = join(CACHE, "lab");

/** The Node that runs this: new enough, since `scripts/bootstrap.sh` chose it. */
export const NODE = process.execPath;
export const NODE_BIN = dirname(NODE);

/** The folder of one lab instance. */
export const labFolder = (name: string): string => join(LABS, name);
