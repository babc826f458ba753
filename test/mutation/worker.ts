import { registerHooks } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Gate } from "../../policy/pack/gate.ts";
import type { GateCases } from "../../policy/testing/cases.ts";
import { contradiction, misdeclared, type Verdict } from "../../policy/testing/expectation.ts";
import type { judgeCase } from "../../policy/testing/judge-case.ts";

/** What a worker is to do: run cases and tests on a file as it is, then on each of its mutants. Modules are URLs. */
export interface Task {
  readonly file: string;
  readonly gates: readonly { readonly id: string; readonly gate: string; readonly cases: string }[];
  readonly test?: string;
  /** The module that exports `judgeCase`. */
  readonly judge: string;
  /** What is loaded anew for each mutant. */
  readonly fresh: readonly string[];
  /** The file with its mutants in it. */
  readonly code: string;
  /** The files of mutants that are none of Stryker's. */
  readonly variants: Readonly<Record<string, string>>;
  readonly mutants: readonly string[];
}

export type Report =
  /** All trials hold on the file as it is, and took so long. */
  | { readonly kind: "ready"; readonly milliseconds: number }
  /** One does not, or there is none: there is nothing to measure. */
  | { readonly kind: "broken"; readonly why: string }
  | { readonly kind: "begins"; readonly mutant: string }
  | { readonly kind: "killed"; readonly mutant: string; readonly why: string }
  | { readonly kind: "survived"; readonly mutant: string; readonly why: string };

/** What the instrumented code reads and counts, see `INSTRUMENTER_CONSTANTS` of @stryker-mutator/api. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage: { static: Hits; perTest: Record<string, Hits> };
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}
type Hits = Record<string, number>;

/** A case or a test, on the modules of a mutant. Returns or throws what fails. */
type Trial = (mutant: string) => Promise<string | undefined>;

// As Stryker's own test runners have it: a mutant that runs so much more often than the original is an endless loop.
const HIT_FACTOR = 100;
const QUERY = "?mutant=";
const ORIGINAL = "none";

const task = workerData as Task;
const fresh = new Set(task.fresh);
const switches: Switches = { mutantCoverage: { static: {}, perTest: {} } };
Object.assign(globalThis, { __stryker__: switches });

const of = (url: string, mutant: string): string => (fresh.has(url) ? `${url}${QUERY}${mutant}` : url);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [importer = "", mutant] = (context.parentURL ?? "").split(QUERY);
    if (specifier === "vitest" && importer === task.test)
      return nextResolve("./tests.ts", { ...context, parentURL: import.meta.url });
    const resolved = nextResolve(specifier, context);
    return mutant === undefined ? resolved : { ...resolved, url: of(resolved.url, mutant) };
  },
  load(url, context, nextLoad) {
    const [file, mutant] = url.split(QUERY);
    if (file !== task.file || mutant === undefined) return nextLoad(url, context);
    const source = task.variants[mutant] ?? task.code;
    return { format: "module-typescript", shortCircuit: true, source };
  },
});

/** Modules of its own for each mutant: what is computed when they load is mutated too, and nothing is remembered. */
const load = (url: string, mutant: string): Promise<object> => import(of(url, mutant));

async function exported<Kind>(url: string, mutant: string, ...keys: readonly string[]): Promise<Kind> {
  const found: unknown = Object.values(await load(url, mutant)).find(
    (value) => typeof value === "object" && value !== null && keys.every((key) => key in value),
  );
  if (found === undefined) throw new Error(`${url} exports nothing with ${keys.join(", ")}`);
  return found as Kind;
}

async function casesOf({ id, gate: url, cases: beside }: Task["gates"][number]): Promise<Trial[]> {
  const cases = await exported<GateCases>(beside, ORIGINAL, "refuses", "allows");
  const verdicts: readonly Verdict[] = ["refuses", "allows"];
  await Promise.all([load(url, ORIGINAL), load(task.judge, ORIGINAL)]);
  return verdicts.flatMap((verdict) => {
    if (cases[verdict].length === 0) throw new Error(`${id} has no case that it ${verdict}`);
    return cases[verdict].map(
      (one): Trial =>
        async (mutant) => {
          const gate = await exported<Gate>(url, mutant, "check");
          const judge = (await load(task.judge, mutant)) as { judgeCase: typeof judgeCase };
          return (
            misdeclared(gate, id, cases) ?? contradiction(verdict, one, await judge.judgeCase(gate, one))
          );
        },
    );
  });
}

async function testsOf(url: string): Promise<Trial[]> {
  const { takeTests } = await import("./tests.ts");
  let last: { readonly mutant: string; readonly tests: ReturnType<typeof takeTests> } | undefined;
  const testsWith = async (mutant: string) => {
    if (last?.mutant !== mutant) {
      await load(url, mutant);
      last = { mutant, tests: takeTests() };
    }
    return last.tests;
  };
  return (await testsWith(ORIGINAL)).map(
    (_test, index): Trial =>
      async (mutant) => {
        await (await testsWith(mutant))[index]?.();
        return undefined;
      },
  );
}

/** What fails first when `trials` run on a mutant. */
async function failure(trials: readonly Trial[], mutant: string): Promise<string | undefined> {
  try {
    for (const trial of trials) {
      const why = await trial(mutant);
      if (why !== undefined) return why;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}

async function run(): Promise<void> {
  // What a mutant changes while a module loads is counted as such only outside of a trial.
  await load(task.file, ORIGINAL);
  const trials: Trial[] = task.test === undefined ? [] : await testsOf(task.test);
  for (const gate of task.gates) trials.push(...(await casesOf(gate)));
  if (trials.length === 0) throw new Error("no gate and no test loads it");
  const started = performance.now();
  for (const [index, trial] of trials.entries()) {
    switches.currentTestId = String(index);
    const wrong = await failure([trial], ORIGINAL);
    if (wrong !== undefined) throw new Error(wrong);
  }
  const hits = structuredClone(switches.mutantCoverage);
  report({ kind: "ready", milliseconds: performance.now() - started });

  for (const mutant of task.mutants) {
    report({ kind: "begins", mutant });
    const atLoad = hits.static[mutant] ?? 0;
    const hitsIn = (index: number): number => hits.perTest[index]?.[mutant] ?? 0;
    const all = atLoad > 0 || task.variants[mutant] !== undefined;
    const reached = trials.filter((_trial, index) => all || hitsIn(index) > 0);
    switches.activeMutant = mutant;
    switches.hitCount = 0;
    switches.hitLimit = trials.reduce((sum, _trial, index) => sum + hitsIn(index), atLoad) * HIT_FACTOR;
    const why = await failure(reached, mutant);
    switches.activeMutant = undefined;
    if (why !== undefined) report({ kind: "killed", mutant, why });
    else if (reached.length === 0) report({ kind: "survived", mutant, why: "no case reaches it" });
    else report({ kind: "survived", mutant, why: "every case that reaches it still holds" });
  }
}

function report(message: Report): void {
  parentPort?.postMessage(message);
}

await run().catch((error: unknown) => {
  report({ kind: "broken", why: error instanceof Error ? error.message : String(error) });
});
