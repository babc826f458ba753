import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nix } from "../../components/render/nix.ts";

/** A folder that goes with the block. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "hermes-nix-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** What the real Nix says of the syntax of files, or undefined when it reads them all. */
export function syntaxProblem(files: readonly string[]): string | undefined {
  const { status, stderr } = run(["--parse", ...files]);
  return status === 0 ? undefined : stderr;
}

/**
 * The value of an expression, computed by the real Nix.
 * @throws Error with what Nix said.
 */
export function evaluated(expression: string): unknown {
  using folder = temporaryFolder();
  const file = join(folder.path, "expression.nix");
  writeFileSync(file, expression);
  const { status, stdout, stderr } = run(["--eval", "--strict", "--json", file]);
  if (status !== 0) throw new Error(`nix-instantiate: ${stderr}`);
  return JSON.parse(stdout);
}

/** An absolute path as a Nix expression, for names that a path literal cannot hold. */
export function nixPath(path: string): string {
  return `(/. + ${nix(path)})`;
}

/** Nix with no store and none of the machine's own files: read-only, it only computes the store paths. */
function run(args: readonly string[]): { status: number; stdout: string; stderr: string } {
  using folder = temporaryFolder();
  const own = [
    "NIX_STATE_DIR",
    "NIX_LOCALSTATE_DIR",
    "NIX_LOG_DIR",
    "NIX_CONF_DIR",
    "XDG_CACHE_HOME",
    "HOME",
  ];
  const { error, status, stdout, stderr } = spawnSync(
    "nix-instantiate",
    ["--store", "dummy://", "--readonly-mode", ...args],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      env: { PATH: process.env["PATH"], ...Object.fromEntries(own.map((name) => [name, folder.path])) },
    },
  );
  if (error !== undefined) {
    throw new Error(
      `nix-instantiate does not run (${error.message}); apt-get install --no-install-recommends nix-bin`,
    );
  }
  return { status: status ?? -1, stdout, stderr };
}
