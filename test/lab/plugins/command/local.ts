// Runs a command on this machine.

import { spawn } from "node:child_process";
import type { Context } from "../base/resource.ts";
import type { Values } from "../base/values.ts";
import { Collector, type Output, type Run } from "./outcome.ts";

export function runLocally(context: Context, inputs: Values, run: Run): Promise<Output> {
  const [program = "/bin/sh", ...before] = (inputs["interpreter"] as string[] | undefined) ?? [
    "/bin/sh",
    "-c",
  ];
  const collected = new Collector(context, inputs);
  return new Promise((resolve, reject) => {
    // In a process group of its own, so that a cancelled command takes its children with it.
    const child = spawn(program, [...before, run.command], {
      cwd: String(inputs["dir"] ?? process.cwd()),
      env: { ...process.env, ...run.environment, ...run.previous },
      detached: true,
    });
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    context.signal.addEventListener("abort", kill, { once: true });
    child.stdout.on("data", (bytes: Buffer) => collected.add("stdout", bytes));
    child.stderr.on("data", (bytes: Buffer) => collected.add("stderr", bytes));
    // A command that ends without reading is no error.
    child.stdin.on("error", () => undefined);
    child.stdin.end(run.stdin);
    child.once("error", (error) => reject(collected.failed(error.message, run.command)));
    child.once("close", (status, signal) => {
      context.signal.removeEventListener("abort", kill);
      const output = collected.output();
      if (context.signal.aborted) reject(collected.failed(`${context.signal.reason}, killed`, run.command));
      else if (signal !== null) reject(collected.failed(`signal: ${signal}`, run.command));
      else if (status !== 0) reject(collected.failed(`exit status ${status}`, run.command));
      else resolve(output);
    });
    if (context.signal.aborted) kill();
  });
}
