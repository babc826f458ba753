import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SshMachine } from "../../test/lab/chopper/ssh-machine.ts";
import { type Speed, scenarios } from "../../test/lab/command/scenarios.ts";
import { Lab } from "../../test/lab/lab.ts";
import { ROOT } from "../setup/paths.ts";
import { median, seconds } from "./time.ts";

/** What the command may take beside the runtime alone: times under emulation, and milliseconds more natively. */
const MOST = { times: 1.1, milliseconds: 10 } as const;
const RUNS_HERE = 51;
const SCRIPT = join(ROOT, "scripts/guest/hermes");
/** Stands in for a runtime, since no container runs here: it starts the program, and costs both the same. */
const RUNTIME = `#!/bin/sh
while [ "$1" != box ]; do shift; done
shift
exec "$@"
`;

/**
 * How long `hermes --version` takes in the lab's guest beside `podman exec` of the same, and, for comparison, a program
 * that does nothing. @returns whether the former is fine.
 */
export async function benchCommand(): Promise<boolean> {
  const lab = await Lab.open("default");
  const { hostKey = "", user = "", address = "" } = (await lab.stack()).outputs();
  const guest = new SshMachine(lab.sshArgs({ hostKey, user, address }));
  type Speeds = { readonly speed: Speed; readonly speed_of_version: Speed };
  const { speed, speed_of_version } = await scenarios<Speeds>(guest, user, ["speed_of_version", "speed"]);
  console.log("\nThe command in the lab's guest, and podman exec of the same program. Medians");
  const ratio = compare("hermes --version", speed_of_version);
  console.log(`at most ${MOST.times} times`);
  compare("a program that does nothing", speed);
  return ratio <= MOST.times;
}

function compare(title: string, { raw, command }: Speed): number {
  const [alone, ours] = [median(sorted(raw)), median(sorted(command))];
  console.log(
    `${title.padEnd(30)} ${alone.toFixed(2)} s, ${ours.toFixed(2)} s: ${(ours / alone).toFixed(2)} times`,
  );
  return ours / alone;
}

/** What the command adds natively to a runtime and a program that do nothing. @returns whether that is fine. */
export function benchCommandHere(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  try {
    writeFileSync(join(folder, "podman"), RUNTIME, { mode: 0o755 });
    const metadata = { backend: "podman", container_name: "box", exec_user: "me", hermes_bin: "/bin/true" };
    const lines = Object.entries(metadata).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(join(folder, ".container-mode"), lines.join(""));
    const env = {
      PATH: `${folder}:${process.env["PATH"]}`,
      HERMES_HOME: folder,
      TERM: "xterm",
      LANG: "C.UTF-8",
    };
    const run = (...[program = "", ...args]: readonly string[]): number => {
      const [taken = Number.NaN] = seconds(1, () => {
        const { status, stderr } = spawnSync(program, args, { env, input: "", encoding: "utf8" });
        if (status !== 0 || stderr !== "") throw new Error(`${program} ended with ${status}: ${stderr}`);
      });
      return taken * 1000;
    };
    const added = Array.from({ length: RUNS_HERE }, () => {
      const alone = run(join(folder, "podman"), "exec", "-i", "--user", "me", "box", "/bin/true");
      return run(SCRIPT) - alone;
    });
    const middle = median(sorted(added));
    console.log(
      `\nThe command here, with a stand-in for the runtime, adds ${middle.toFixed(1)} ms, at most ${MOST.milliseconds} ms`,
    );
    return middle <= MOST.milliseconds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((one, other) => one - other);
