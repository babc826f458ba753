import { availableParallelism } from "node:os";
import { basename, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type Mutant, mutate } from "./mutants.ts";
import { JUDGE, type Subject } from "./subjects.ts";
import type { Report, Task } from "./worker.ts";

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
  /** What kept a file from being checked, and what is wrong in how it is written. */
  readonly errors: readonly string[];
}

const MEMORY = 512;
const LOADING = 60_000;

/**
 * Runs cases and tests on each mutant of the files.
 *
 * @param patience how many milliseconds a mutant may be silent over ten times what all cases take on the file as it is.
 */
export async function check(subjects: readonly Subject[], patience = 5000): Promise<Result> {
  // What the cases of all gates judge takes longest: it goes first, so that no lane is left with it at the end.
  const queue = subjects.toSorted((one, other) => other.gates.length - one.gates.length);
  const results: Omit<Result, "files">[] = [];
  const lane = async (): Promise<void> => {
    for (let subject = queue.shift(); subject !== undefined; subject = queue.shift()) {
      results.push(await checkFile(subject, patience));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return {
    files: subjects.length,
    outcomes: results.flatMap(({ outcomes }) => outcomes),
    errors: results.flatMap(({ errors }) => errors),
  };
}

async function checkFile(subject: Subject, patience: number): Promise<Omit<Result, "files">> {
  const { file, gates, test, dependents } = subject;
  const { mutants, code, variants, complaints } = await mutate(file);
  const shown = relative(process.cwd(), file);
  const errors = complaints.map((complaint) => `${shown}: ${complaint}`);
  if (mutants.length === 0) errors.push(`${shown}: there is nothing to mutate`);

  const fates = new Map<string, { fate: Fate; why: string }>();
  for (const { id, ignored } of mutants) {
    if (ignored !== undefined) fates.set(id, { fate: "ignored", why: ignored });
  }
  const left = (): string[] => mutants.map(({ id }) => id).filter((id) => !fates.has(id));
  const task = {
    file: url(file),
    gates: gates.map((gate) => ({
      id: basename(gate, ".ts"),
      gate: url(gate),
      cases: url(gate.replace(/\.ts$/, ".cases.ts")),
    })),
    ...(test === undefined ? {} : { test: url(test) }),
    judge: url(JUDGE),
    fresh: dependents.map(url),
    code,
    variants,
  };
  // A worker that hangs is ended, and another one goes on behind the mutant that hung it.
  for (let todo = left(); todo.length > 0; todo = left()) {
    const trouble = await work({ ...task, mutants: todo }, patience, (mutant, fate, why) =>
      fates.set(mutant, { fate, why }),
    );
    if (trouble !== undefined || left().length === todo.length) {
      errors.push(`${shown}: ${trouble ?? "the worker ended before its time"}`);
      break;
    }
  }
  const outcomes = mutants.flatMap((mutant) => {
    const fate = fates.get(mutant.id);
    return fate === undefined ? [] : [{ file, mutant, ...fate }];
  });
  return { outcomes, errors };
}

const url = (file: string): string => pathToFileURL(file).href;

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
  const fails = (fate: Fate, why: string): void => {
    if (current === undefined) trouble ??= why;
    else settle(current, fate, why);
    current = undefined;
  };
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      fails("timed out", `no end within ${Math.round(limit / 100) / 10} s`);
      void worker.terminate();
    }, limit);
  };
  wait();
  worker.on("message", (report: Report) => {
    wait();
    if (report.kind === "ready") limit = patience + 10 * report.milliseconds;
    else if (report.kind === "broken") trouble = report.why;
    else if (report.kind === "begins") current = report.mutant;
    else {
      current = undefined;
      settle(report.mutant, report.kind, report.why);
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
