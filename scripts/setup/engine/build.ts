/** The third way: the real engine, built from the Go modules that go.mod and go.sum beside this file pin. */
import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ask, findOnPath, isExecutable } from "../commands.ts";
import { ENGINE, ENGINE_BIN, ROOT } from "../paths.ts";
import { StepError, step } from "../progress.ts";
import { fingerprint, stampMatches, writeAtomically } from "../stamps.ts";
import { atLeast, formatVersion, parseVersion, type Version } from "../versions.ts";
import { engineVersion } from "./existing.ts";
import type { Attempt } from "./types.ts";
import { ensureWrappers } from "./wrappers.ts";

const MODULE = join(ROOT, "scripts/setup/engine");
const COMMAND = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
/** Without this stamp the engine has no version, and the Automation API refuses it. */
const VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
/** Since this version of Go a command fetches the toolchain that go.mod asks for, as a Go module. */
const SWITCHES_TOOLCHAIN: Version = [1, 21, 0];
/** Where Go's own installer and Debian's packages put it, often without PATH. */
const USUAL_PLACES = ["/usr/local/go/bin/go", "/usr/lib/go/bin/go"];

export async function buildEngine(): Promise<Attempt> {
  const goMod = readFileSync(join(MODULE, "go.mod"), "utf8");
  const version = pinned(goMod, /^\s*(?:require )?github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)$/m);
  const pulumi = join(ENGINE_BIN, "pulumi");
  const engine = { pulumi, version, source: "build", binFolders: [ENGINE_BIN] } as const;
  const stamp = join(ENGINE, "built-from");
  const wanted = fingerprint(goMod, { file: join(MODULE, "go.sum") });
  if (!(isExecutable(pulumi) && stampMatches(stamp, wanted))) {
    const go = findGo(pinned(goMod, /^go (\S+)$/m));
    if ("reason" in go) return go;
    await build(go, version, pulumi);
    const built = engineVersion(pulumi);
    if (built === undefined || formatVersion(built) !== version) {
      throw new Error(
        `The engine that was built (${pulumi}) should be ${version}, but says ${built === undefined ? "nothing" : formatVersion(built)}: remove ${ENGINE} and run the same command again.`,
      );
    }
    writeAtomically(stamp, wanted);
  }
  ensureWrappers();
  return { engine: { ...engine, binFolders: [...engine.binFolders] } };
}

/** Linking takes seconds when Go's build cache is warm; that cache also lets an interrupted build go on. */
async function build(
  go: { go: string; env: NodeJS.ProcessEnv },
  version: string,
  pulumi: string,
): Promise<void> {
  mkdirSync(ENGINE_BIN, { recursive: true });
  const partial = join(ENGINE, "pulumi.partial");
  try {
    await step({
      title: `Pulumi engine ${version}: building from Go modules`,
      log: "engine-build",
      estimateSeconds: 300,
      command: [
        ...([go.go, "build", "-mod=readonly", "-buildvcs=false"] as const),
        ...["-ldflags", `-s -w -X ${VERSION_VARIABLE}=v${version}`, "-o", partial, COMMAND],
      ],
      cwd: MODULE,
      env: go.env,
      timeoutSeconds: 3_600,
    });
  } catch (error) {
    if (error instanceof StepError) error.message += hint(error.output);
    throw error;
  }
  renameSync(partial, pulumi);
}

export function hint(output: string): string {
  if (/no space left/.test(output))
    return "\nThe disk is full: free about 4 GB for Go's module and build caches (`go env GOMODCACHE GOCACHE`).";
  if (/signal: killed/.test(output))
    return "\nThe machine ran out of memory: the build needs about 3 GB. Close something, or set GOFLAGS=-p=1.";
  if (/dial tcp|no such host|i\/o timeout|connection refused|proxyconnect|TLS handshake/.test(output)) {
    return "\nThe Go module proxy cannot be reached: check the network and `go env GOPROXY`, then run the same command again.";
  }
  return "";
}

/** The newest usable Go, with the environment to call it in. */
function findGo(required: string): { go: string; env: NodeJS.ProcessEnv } | { reason: string } {
  const minimum = parseVersion(required) ?? [0, 0, 0];
  const found: string[] = [];
  for (const go of [...findOnPath("go"), ...USUAL_PLACES.filter(isExecutable)]) {
    // As installed, without a switch of toolchain.
    const installed = parseVersion(
      ask(go, ["version"], { env: { ...process.env, GOTOOLCHAIN: "local" }, cwd: "/" }) ?? "",
    );
    if (installed === undefined) continue;
    if (atLeast(installed, minimum)) return { go, env: { ...process.env, GOTOOLCHAIN: "local" } };
    found.push(`${go} is ${formatVersion(installed)}`);
    if (atLeast(installed, SWITCHES_TOOLCHAIN)) {
      const env = { ...process.env, GOTOOLCHAIN: "auto" };
      const switched = parseVersion(ask(go, ["version"], { env, cwd: MODULE, timeoutSeconds: 180 }) ?? "");
      if (switched !== undefined && atLeast(switched, minimum)) return { go, env };
    }
  }
  return {
    reason: `Go ${required} or newer is needed to build it, and ${found.join(", ") || "there is no `go`"}`,
  };
}

function pinned(goMod: string, pattern: RegExp): string {
  const value = pattern.exec(goMod)?.[1];
  if (value === undefined)
    throw new Error(`scripts/setup/engine/go.mod lacks a line like ${pattern.source}: restore it with git.`);
  return value;
}
