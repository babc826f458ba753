import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { startTime } from "../../setup/processes.ts";

export interface Result {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** A command that runs, and what it has written so far. */
export class Running {
  readonly child: ChildProcess;
  readonly result: Promise<Result>;
  stdout = "";
  stderr = "";

  constructor(child: ChildProcess, input?: string | Buffer) {
    this.child = child;
    const out = this.#collect(child.stdout, (text) => (this.stdout += text));
    const err = this.#collect(child.stderr, (text) => (this.stderr += text));
    // A program need not read what it is given.
    child.stdin?.on("error", () => undefined);
    if (input !== undefined) child.stdin?.end(input);
    this.result = this.#end(out, err);
  }

  async #end(out: Promise<Buffer>, err: Promise<Buffer>): Promise<Result> {
    const [status, signal] = await once(this.child, "exit");
    return { status, signal, stdout: await out, stderr: await err };
  }

  #collect(stream: Readable | null, add: (text: string) => void): Promise<Buffer> {
    if (stream === null) return Promise.resolve(Buffer.alloc(0));
    stream.on("data", (data: Buffer) => {
      if (data.length < 65_536) add(data.toString());
    });
    // The test itself may close it.
    return buffer(stream).catch(() => Buffer.alloc(0));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  end(): void {
    this.child.stdin?.end();
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }
}

export class Terminal extends Running {
  #told = "";

  constructor(child: ChildProcess) {
    super(child);
    child.stdio[4]?.on("data", (data: Buffer) => {
      this.#told += data.toString();
    });
  }

  /** The command's own process, not the driver's. */
  override get pid(): number {
    return Number(/^pid (\d+)$/m.exec(this.#told)?.[1] ?? 0);
  }

  /** "exit CODE" or "signal NUMBER". */
  async ended(): Promise<string> {
    await this.result;
    return /^(?:exit|signal) \d+$/m.exec(this.#told)?.[0] ?? "";
  }

  resize(rows: number, columns: number): void {
    const control = this.child.stdio[3];
    if (control instanceof Writable) control.write(`resize ${rows} ${columns}\n`);
  }
}

/** One that has ended is not, also when nobody has waited for it yet. */
export const isAlive = (pid: number): boolean => startTime(pid) !== undefined;

export async function until(condition: () => boolean, what: string, milliseconds = 5_000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${what}`);
    await delay(10);
  }
}
