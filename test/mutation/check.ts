import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type Mutant, mutate } from "./mutants.ts";
import type { GateModules, Report, Task } from "./worker.ts";

export interface Options {
  /** Folder of the gates: `<id>.ts`, each with its `<id>.cases.ts`. */
  readonly gates: string;
  /** Folder of modules that gates share. They are mutated too; the cases of the gates that load them must kill. */
  readonly shared?: string;
  /** Module that exports `judgeCase`. */
  readonly judge: string;
  /** Names of files, without `.ts`. Default: all of both folders. */
  readonly only?: readonly string[];
  /** How long a mutant may be silent over the time that all cases take, ten times over. Default: 5000. */
  readonly patience?: number;
}

export type Fate = "killed" | "timed out" | "survived" | "ignored";

export interface Outcome {
  readonly file: string;
  readonly mutant: Mutant;
  readonly fate: Fate;
  /** What killed it, why it survived, or why it is ignored. */
  readonly why: string;
}

export interface Result {
  readonly files: number;
  readonly outcomes: readonly Outcome[];
  /** What kept a gate from being checked: it fails its own cases, or a comment tells Stryker nonsense. */
  readonly errors: readonly string[];
}

const MEMORY = 512;
const LOADING = 60_000;

interface Subject {
  readonly file: string;
  readonly gates: readonly GateModules[];
}

/** Runs the cases of each gate on each of its mutants, and on those of the modules that it shares with others. */
export async function check(options: Options): Promise<Result> {
  const subjects = await subjectsOf(options);
  const queue = [...subjects];
  const results: Omit<Result, "files">[] = [];
  const lane = async (): Promise<void> => {
    for (let subject = queue.shift(); subject !== undefined; subject = queue.shift()) {
      results.push(await checkFile(subject, options));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return {
    files: subjects.length,
    outcomes: results.flatMap(({ outcomes }) => outcomes),
    errors: results.flatMap(({ errors }) => errors),
  };
}

async function subjectsOf({ gates: folder, shared, only = [] }: Options): Promise<Subject[]> {
  const ids = await modulesIn(folder);
  const gates = ids.map((id) => ({
    id,
    gate: pathToFileURL(join(folder, `${id}.ts`)).href,
    cases: pathToFileURL(join(folder, `${id}.cases.ts`)).href,
  }));
  const others = shared === undefined ? [] : await modulesIn(shared);
  const all = [...ids, ...others];
  const unknown = only.filter((id) => !all.includes(id));
  if (unknown.length > 0) throw new Error(`no such gate: ${unknown.join(", ")}; there are ${all.join(", ")}`);
  if (gates.length === 0) throw new Error(`no gate in ${folder}`);
  const wanted = (id: string): boolean => only.length === 0 || only.includes(id);
  return [
    ...gates
      .filter(({ id }) => wanted(id))
      .map((gate) => ({ file: join(folder, `${gate.id}.ts`), gates: [gate] })),
    ...others.filter(wanted).map((id) => ({ file: join(shared ?? "", `${id}.ts`), gates })),
  ];
}

async function modulesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^[^.]+\.ts$/.test(name)).map((name) => name.slice(0, -".ts".length));
}

async function checkFile({ file, gates }: Subject, options: Options): Promise<Omit<Result, "files">> {
  const { mutants, code, variants, complaints } = await mutate(file);
  const fates = new Map<string, { fate: Fate; why: string }>();
  for (const { id: mutant, ignored } of mutants) {
    if (ignored !== undefined) fates.set(mutant, { fate: "ignored", why: ignored });
  }
  const shown = relative(process.cwd(), file);
  const errors = complaints.map((complaint) => `${shown}: ${complaint}`);
  if (mutants.length === 0) errors.push(`${shown}: there is nothing to mutate`);
  const folders = [options.gates, options.shared].filter((folder) => folder !== undefined);

  const left = (): string[] => mutants.map((mutant) => mutant.id).filter((mutant) => !fates.has(mutant));
  // A worker that hangs is ended, and another one goes on behind the mutant that hung it.
  for (let todo = left(); todo.length > 0; todo = left()) {
    const end = await work(
      {
        file: pathToFileURL(file).href,
        gates,
        judge: pathToFileURL(options.judge).href,
        fresh: folders.map((folder) => pathToFileURL(`${folder}/`).href),
        code,
        variants,
        mutants: todo,
      },
      options.patience ?? 5000,
      (mutant, fate, why) => fates.set(mutant, { fate, why }),
    );
    if (end !== undefined || left().length === todo.length) {
      errors.push(`${shown}: ${end ?? "the worker ended before its time"}`);
      break;
    }
  }
  const outcomes = mutants.flatMap((mutant) => {
    const fate = fates.get(mutant.id);
    return fate === undefined ? [] : [{ file, mutant, ...fate }];
  });
  return { outcomes, errors };
}

/** Runs a worker to its end. Returns what kept it from working, if something did. */
function work(
  task: Task,
  patience: number,
  settle: (mutant: string, fate: Fate, why: string) => void,
): Promise<string | undefined> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY },
  });
  let current: string | undefined;
  let trouble: string | undefined;
  let limit = LOADING;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      fails("timed out", `no end within ${Math.round(limit / 100) / 10} s`);
      void worker.terminate();
    }, limit);
  };
  const fails = (fate: Fate, why: string): void => {
    if (current === undefined) trouble ??= why;
    else settle(current, fate, why);
    current = undefined;
  };
  wait();
  worker.on("message", (report: Report) => {
    wait();
    if (report.kind === "ready") limit = patience + 10 * report.milliseconds;
    else if (report.kind === "broken") trouble = report.why;
    else if (report.kind === "unused") {
      for (const mutant of task.mutants) settle(mutant, "ignored", "no gate loads the file");
    } else if (report.kind === "begins") current = report.mutant;
    else {
      current = undefined;
      settle(report.mutant, report.kind, report.kind === "killed" ? report.by : report.why);
    }
  });
  // Out of memory, or an error that nobody awaited: with a mutant at work it is the mutant's.
  worker.on("error", (error) => fails("killed", String(error)));
  return new Promise((resolve) => {
    worker.on("exit", () => {
      clearTimeout(timer);
      // A promise that nothing will settle ends a worker too.
      if (current !== undefined) fails("killed", "it gives no answer");
      resolve(trouble);
    });
  });
}
