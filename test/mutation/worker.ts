import { registerHooks } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Case } from "../../policy/pack/cases.ts";
import type { Gate } from "../../policy/pack/gate.ts";
import { contradiction, type Expected, type Judge, misdeclared, type Verdict } from "./expectation.ts";

/** What a worker is to do: run the cases of gates on a file as it is, then on each of its mutants. */
export interface Task {
  /** URL of the file that is mutated: a gate's own, or one that gates share. */
  readonly file: string;
  readonly gates: readonly GateModules[];
  /** URL of the module with `judgeCase`. */
  readonly judge: string;
  /** URLs of the folders whose modules are loaded anew for each mutant. */
  readonly fresh: readonly string[];
  /** The file with its mutants in it. */
  readonly code: string;
  /** The files of mutants that are none of Stryker's. */
  readonly variants: Readonly<Record<string, string>>;
  readonly mutants: readonly string[];
}

export interface GateModules {
  readonly id: string;
  readonly gate: string;
  readonly cases: string;
}

export type Report =
  /** The gates as they are do what their cases expect, and one run of them took so long. */
  | { readonly kind: "ready"; readonly milliseconds: number }
  /** No gate loads the file. */
  | { readonly kind: "unused" }
  /** A gate as it is fails its cases: there is nothing to measure. */
  | { readonly kind: "broken"; readonly why: string }
  | { readonly kind: "begins"; readonly mutant: string }
  | { readonly kind: "killed"; readonly mutant: string; readonly by: string }
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

// As Stryker's own test runners have it: a mutant that runs so much more often than the original is an endless loop.
const HIT_FACTOR = 100;
const QUERY = "?mutant=";
const VERDICTS: readonly Verdict[] = ["refuses", "allows"];

const task = workerData as Task;
const switches: Switches = { mutantCoverage: { static: {}, perTest: {} } };
Object.assign(globalThis, { __stryker__: switches });

/** The names under which the file was loaded. */
const loadedFor = new Set<string>();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const [, mutant] = (context.parentURL ?? "").split(QUERY);
    const fresh = mutant !== undefined && task.fresh.some((folder) => resolved.url.startsWith(folder));
    return fresh ? { ...resolved, url: `${resolved.url}${QUERY}${mutant}` } : resolved;
  },
  load(url, context, nextLoad) {
    const [file, mutant] = url.split(QUERY);
    if (file !== task.file || mutant === undefined) return nextLoad(url, context);
    loadedFor.add(mutant);
    const source = task.variants[mutant] ?? task.code;
    return { format: "module-typescript", shortCircuit: true, source };
  },
});

const report = (message: Report): void => parentPort?.postMessage(message);

/** Modules of its own for each mutant: what is computed when they load is mutated too, and nothing is remembered. */
async function gateWith({ gate }: GateModules, mutant: string): Promise<Gate> {
  const found = Object.values(await import(`${gate}${QUERY}${mutant}`)).find(isGate);
  if (found === undefined) throw new Error(`${gate} exports no gate`);
  return found;
}
const isGate = (value: unknown): value is Gate =>
  typeof value === "object" && value !== null && "check" in value && typeof value.check === "function";

async function expectationsOf({ cases }: GateModules): Promise<Expected> {
  const found = Object.values(await import(cases)).find(isExpected);
  if (found === undefined) throw new Error(`${cases} exports no cases`);
  return found;
}
const isExpected = (value: unknown): value is Expected =>
  typeof value === "object" && value !== null && "refuses" in value && "allows" in value;

interface Trial {
  readonly modules: GateModules;
  readonly expected: Expected;
  readonly verdict: Verdict;
  readonly trial: Case;
}

/** The cases of the gates that load the file, or what is wrong with a gate. */
async function trialsOf(gates: readonly GateModules[]): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const modules of gates) {
    const name = `original-${modules.id}`;
    const gate = await gateWith(modules, name);
    if (!loadedFor.has(name)) continue;
    const expected = await expectationsOf(modules);
    const wrong = misdeclared(gate, modules.id, expected);
    if (wrong !== undefined) throw new Error(wrong);
    for (const verdict of VERDICTS) {
      if (expected[verdict].length === 0) throw new Error(`${modules.id} has no case that it ${verdict}`);
      trials.push(...expected[verdict].map((trial) => ({ modules, expected, verdict, trial })));
    }
  }
  return trials;
}

/** What fails first when `trials` run on a mutant. The modules are those of `mutant`. */
async function failure(
  trials: readonly Trial[],
  mutant: string,
  judge: Judge,
  before?: (trial: Trial) => void,
): Promise<string | undefined> {
  const gates = new Map<GateModules, Gate>();
  for (const found of trials) {
    const { modules, expected, verdict, trial } = found;
    const gate = gates.get(modules) ?? (await gateWith(modules, mutant));
    gates.set(modules, gate);
    before?.(found);
    const why =
      misdeclared(gate, modules.id, expected) ?? contradiction(verdict, trial, await judge(gate, trial));
    if (why !== undefined) return why;
  }
  return undefined;
}

async function run(): Promise<void> {
  const { judgeCase } = (await import(task.judge)) as { judgeCase: Judge };
  const trials = await trialsOf(task.gates);
  if (trials.length === 0) return report({ kind: "unused" });
  const started = performance.now();
  const wrong = await failure(trials, "original", judgeCase, (trial) => {
    switches.currentTestId = String(trials.indexOf(trial) + 1);
  });
  if (wrong !== undefined) return report({ kind: "broken", why: wrong });
  const hits = structuredClone(switches.mutantCoverage);
  report({ kind: "ready", milliseconds: performance.now() - started });

  for (const mutant of task.mutants) {
    report({ kind: "begins", mutant });
    const atLoad = hits.static[mutant] ?? 0;
    const hitsIn = (trial: Trial): number => hits.perTest[trials.indexOf(trial) + 1]?.[mutant] ?? 0;
    const all = atLoad > 0 || task.variants[mutant] !== undefined;
    const reached = all ? trials : trials.filter((trial) => hitsIn(trial) > 0);
    switches.activeMutant = mutant;
    switches.hitCount = 0;
    switches.hitLimit = reached.reduce((sum, trial) => sum + hitsIn(trial), atLoad) * HIT_FACTOR;
    const by = await failure(reached, mutant, judgeCase).catch(String);
    switches.activeMutant = undefined;
    if (by !== undefined) report({ kind: "killed", mutant, by });
    else if (reached.length === 0) report({ kind: "survived", mutant, why: "no case reaches it" });
    else report({ kind: "survived", mutant, why: "every case that reaches it still holds" });
  }
}

await run().catch((error: unknown) => {
  report({ kind: "broken", why: error instanceof Error ? error.message : String(error) });
});
