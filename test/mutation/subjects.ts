import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export interface Selection {
  /** Folder of the gates: `<id>.ts`, each with its `<id>.cases.ts`. */
  readonly gates: string;
  /** Modules that gates stand on, and folders of such. */
  readonly modules?: readonly string[];
  /** Names of files, without `.ts`. Default: all. */
  readonly only?: readonly string[];
}

/** A file that is mutated, and what must notice. */
export interface Subject {
  readonly file: string;
  /**
   * Files of the gates that import it, whose cases must notice. None where a file has its own test and every case of
   * every gate depends on it, as on readers: loading nearly the whole pack anew for each mutant would take minutes.
   */
  readonly gates: readonly string[];
  /** Its own unit test. */
  readonly test?: string;
  /** The file and all that import it, directly or not: what has to be loaded anew with each mutant. */
  readonly dependents: readonly string[];
}

/** Module that exports `judgeCase`. */
export const JUDGE = fileURLToPath(new URL("../../policy/testing/judge-case.ts", import.meta.url));
const PACK = dirname(dirname(JUDGE));

/** The files to mutate. Throws where `only` names one that there is not. */
export function subjectsIn({ gates: folder, modules = [], only = [] }: Selection): Subject[] {
  const gates = modulesIn(folder);
  const files = [...gates, ...modules.flatMap((path) => (path.endsWith(".ts") ? [path] : modulesIn(path)))];
  const missing = only.filter((name) => !files.some((file) => basename(file, ".ts") === name));
  if (missing.length > 0) {
    const names = files.map((file) => basename(file, ".ts"));
    throw new Error(`no such module: ${missing.join(", ")}; there are ${names.join(", ")}`);
  }
  const importers = importersIn([PACK, folder, ...modules.map(dirname)]);
  return files
    .filter((file) => only.length === 0 || only.includes(basename(file, ".ts")))
    .map((file) => {
      const dependents = closure(file, importers);
      const test = file.replace(/\.ts$/, ".test.ts");
      const tested = existsSync(test);
      return {
        file,
        gates: tested && dependents.has(JUDGE) ? [] : gates.filter((gate) => dependents.has(gate)),
        ...(tested ? { test } : {}),
        dependents: [...dependents],
      };
    });
}

function modulesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /^[^.]+\.ts$/.test(name));
  return names.map((name) => join(folder, name));
}

const IMPORT = /^(?:import|export) (?!type )[^"]*?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

/** Of each module, those that import it, now or when they run. */
function importersIn(folders: readonly string[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  const names = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  for (const name of new Set(names)) {
    if (!name.endsWith(".ts") || name.includes("node_modules")) continue;
    for (const [, here, later = here] of readFileSync(name, "utf8").matchAll(IMPORT)) {
      const imported = resolve(dirname(name), later ?? "");
      importers.set(imported, (importers.get(imported) ?? new Set()).add(name));
    }
  }
  return importers;
}

function closure(file: string, importers: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set([file]);
  // A set that grows while it is gone through is gone through to its end.
  for (const each of found) for (const importer of importers.get(each) ?? []) found.add(importer);
  return found;
}
