import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startTime } from "../../scripts/setup/processes.ts";

/** Starts a process that outlives this one, its output in `log`, its id and start time in `pidFile`. */
export function startDetached(options: {
  command: readonly [string, ...string[]];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  log: string;
  pidFile: string;
}): ChildProcess {
  const output = openSync(options.log, "a");
  const [program, ...args] = options.command;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  if (child.pid !== undefined) writeFileSync(options.pidFile, `${child.pid} ${startTime(child.pid) ?? ""}\n`);
  child.unref();
  return child;
}

/** Id of the process that was written into `pidFile`, when it still is that process: ids are used again. */
export function running(pidFile: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const [pid = "", started = ""] = readFileSync(pidFile, "utf8").trim().split(" ");
  return started !== "" && startTime(Number(pid)) === started ? Number(pid) : undefined;
}

/** Ends the process of `pidFile`: SIGTERM, then SIGKILL after `seconds`. Nothing else is touched. */
export async function stop(pidFile: string, seconds = 10): Promise<boolean> {
  const pid = running(pidFile);
  if (pid !== undefined) {
    process.kill(pid, "SIGTERM");
    for (let waited = 0; running(pidFile) !== undefined; waited += 0.1) {
      if (waited > seconds) process.kill(pid, "SIGKILL");
      if (waited > seconds + 5)
        throw new Error(`process ${pid} (${pidFile}) does not end, not even by SIGKILL`);
      await sleep(100);
    }
  }
  rmSync(pidFile, { force: true });
  return pid !== undefined;
}

/**
 * Ends a process that did not start well. A file that names another process by now stays: it is the only trace of that one.
 */
export async function abandon(child: ChildProcess, pidFile: string): Promise<void> {
  const named = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split(" ")[0] : undefined;
  if (named === `${child.pid}`) await stop(pidFile);
  else child.kill("SIGKILL");
}

/**
 * Id of the process that wrote `pidFile` itself, as QEMU does, without a start time: the argument of its -pidfile
 * tells it from any other. The lab's API looks at the same (test/lab/pve/process.py).
 */
export function qemuOf(pidFile: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const pid = Number(readFileSync(pidFile, "utf8").trim());
  return hasArgument(pid, pidFile) ? pid : undefined;
}

/** Does that process run, and is exactly this one of its arguments? */
export function hasArgument(pid: number, argument: string): boolean {
  try {
    // A dead process that nobody waited for has an empty command line.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument);
  } catch {
    return false;
  }
}
