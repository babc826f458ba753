/** Tells processes apart, and ends what was started, and only that: process groups of our own children. */
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a process has to put itself in order after SIGTERM. */
const GRACE_MILLISECONDS = 5_000;

/**
 * What tells a process from any later one with the same number: its start time in clock ticks (proc_pid_stat(5),
 * field 22). Undefined for one that has ended, also when nobody has waited for it yet, and where there is no /proc.
 */
export function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command in parentheses may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** A process that started this much later than what it is said to have written is another one; clocks are corrected. */
const LATER_MILLISECONDS = 60_000;
/** Ticks a second in /proc on every architecture that Node runs on (USER_HZ). */
const TICKS = 100;

/** Has the process that existed at `time` (milliseconds since 1970) ended? Its number may be another's by now. */
export function isGone(pid: number, time: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return true;
  }
  const booted = bootTime();
  // Without /proc, a number that is in use is all that is known.
  if (booted === undefined) return false;
  const ticks = startTime(pid);
  // A zombie; or one of another person that /proc hides.
  if (ticks === undefined) return existsSync(`/proc/${pid}/stat`);
  return booted + (Number(ticks) * 1_000) / TICKS > time + LATER_MILLISECONDS;
}

function bootTime(): number | undefined {
  try {
    const seconds = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  } catch {
    return undefined;
  }
}

/** Sends a signal to the group of a child that was spawned with `detached: true`; false when it is gone. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): boolean {
  if (child.pid === undefined) return false;
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** SIGTERM to the group, then SIGKILL to what is left of it. */
export async function endGroup(child: ChildProcess, graceMilliseconds = GRACE_MILLISECONDS): Promise<void> {
  const deadline = Date.now() + graceMilliseconds;
  if (!signalGroup(child, "SIGTERM")) return;
  while (Date.now() < deadline) {
    await sleep(50);
    // Signal 0 only asks whether the group still has a process.
    try {
      process.kill(-(child.pid ?? 0), 0);
    } catch {
      return;
    }
  }
  signalGroup(child, "SIGKILL");
}
