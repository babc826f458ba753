/** What a Node.js program needs from its surroundings: its own SDK, and the runtime options of Pulumi.yaml. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ProgramInfo } from "@pulumi/pulumi/proto/language_pb.js";

/** Resolves as a file in the program's folder would: the SDK is the program's own, not the host's. */
export function resolveFrom(programDirectory: string, request: string): string {
  try {
    return createRequire(join(programDirectory, "package.json")).resolve(request);
  } catch {
    throw new Error(
      `${request} is not installed for ${programDirectory}: run \`npm ci\` in the folder that has the package.json.`,
    );
  }
}

/** The options below `runtime:` in Pulumi.yaml that the ordinary host knows and that matter to a program. */
export interface RuntimeOptions {
  /** Default true: the program is loaded through ts-node. False: Node loads it natively. */
  typescript: boolean;
  /** Arguments for Node itself. */
  nodeArguments: string[];
}

export function runtimeOptions(info: ProgramInfo | undefined): RuntimeOptions {
  const options: Record<string, unknown> = info?.getOptions()?.toJavaScript() ?? {};
  const nodeArguments = options["nodeargs"];
  return {
    typescript: options["typescript"] !== false,
    nodeArguments:
      typeof nodeArguments === "string"
        ? nodeArguments.split(/\s+/).filter((argument) => argument !== "")
        : [],
  };
}

/** Name and version of what the program's package.json asks for, as installed. */
export function installedDependencies(programDirectory: string): { name: string; version: string }[] {
  const manifest = readJson(join(programDirectory, "package.json"));
  const lockfile = readJson(join(programDirectory, "node_modules/.package-lock.json"));
  const wanted = { ...record(manifest["devDependencies"]), ...record(manifest["dependencies"]) };
  return Object.entries(wanted).map(([name, range]) => ({
    name,
    version: String(record(record(lockfile["packages"])[`node_modules/${name}`])["version"] ?? range),
  }));
}

function readJson(file: string): Record<string, unknown> {
  try {
    return record(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
