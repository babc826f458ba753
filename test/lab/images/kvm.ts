import { execFileSync, spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { writeAtomically } from "../../../scripts/setup/stamps.ts";
import { guestKernel } from "./debian-image.ts";
import { cached } from "./folder.ts";

/** A machine with working KVM prints the line after about a second. */
const DEADLINE_MILLISECONDS = 8_000;
const KERNEL_LINE = "Linux version";
const qemu = "qemu-system-x86_64";

interface Result {
  /** What the result holds for: this boot of the machine and this QEMU. */
  readonly of: string;
  readonly works: boolean;
}

/**
 * Whether a guest can run under KVM. A `/dev/kvm` that opens and creates a VM may still hang when Linux starts
 * (nested virtualisation), so only a kernel that has said its first line counts.
 * @param kernel of a machine of the lab. Default: that of the guest of pve-sbx. Its image must be there.
 */
export async function probeKvm(kernel = guestKernel): Promise<boolean> {
  try {
    accessSync("/dev/kvm", constants.R_OK | constants.W_OK);
  } catch {
    return false;
  }
  const of = `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${qemuVersion()}`;
  const file = cached("kvm.json");
  const known = readResult(file);
  if (known?.of === of) {
    return known.works;
  }
  if (!existsSync(kernel)) {
    throw new Error(
      `KVM is probed with a kernel of the lab, ${kernel}, which is missing: call ensureImages() first.`,
    );
  }
  // The guest's own kernel, since that is what has to run.
  const works = await printsLine(
    [
      qemu,
      ...["-accel", "kvm", "-cpu", "host", "-machine", "q35", "-m", "512", "-smp", "2"],
      ...["-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio", "-no-reboot"],
      ...["-kernel", kernel, "-append", "console=ttyS0 earlyprintk=serial,ttyS0 panic=-1"],
    ],
    KERNEL_LINE,
    DEADLINE_MILLISECONDS,
  );
  writeAtomically(file, `${JSON.stringify({ of, works } satisfies Result)}\n`);
  return works;
}

/** Whether a program prints a text in time; it is ended in any case, and has ended when this returns. */
export function printsLine(
  command: readonly [string, ...string[]],
  text: string,
  milliseconds: number,
): Promise<boolean> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    let seen = false;
    const end = (): void => {
      child.kill("SIGKILL");
    };
    const timer = setTimeout(end, milliseconds);
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("latin1");
      if (!seen && output.includes(text)) {
        seen = true;
        end();
      }
    });
    child.once("error", () => {
      clearTimeout(timer);
      resolve(false);
    });
    child.once("close", () => {
      clearTimeout(timer);
      resolve(seen);
    });
  });
}

function qemuVersion(): string {
  return execFileSync(qemu, ["--version"], { encoding: "utf8" }).split("\n")[0] ?? "";
}

function readResult(file: string): Result | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Result;
  } catch {
    return undefined;
  }
}
