import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What tells a process from any later one with the same id: its start time in clock ticks (proc_pid_stat(5), field 22). */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

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

/** Id of the process that wrote or was written into `pidFile`, when it still is that process. */
export function running(pidFile: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const [pid = "", started] = readFileSync(pidFile, "utf8").trim().split(" ");
  const now = startTime(Number(pid));
  if (now === undefined || (started !== undefined && started !== "" && started !== now)) return undefined;
  return Number(pid);
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

/** A port of 127.0.0.1 that nobody listens on: the wanted one, or one that the system gives. */
export async function freePort(wanted: number): Promise<number> {
  return (await tryListen(wanted)) ?? (await tryListen(0)) ?? wanted;
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(found));
    });
  });
}
