import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GUEST_TOOL } from "../../components/guest/tool.ts";
import { IMAGES, PYTHON_VENV, ROOT } from "../../scripts/setup/paths.ts";
import type { GuestStatus } from "./guest-status.ts";
import { ensureDebianImage } from "./images/debian-image.ts";
import { probeKvm } from "./images/kvm.ts";
import { type Override, pveOverrides } from "./overrides.ts";
import { abandon, hasArgument, qemuOf, running, startDetached, stop } from "./processes.ts";
import { PveClient } from "./pve-client.ts";
import type { PveRecord } from "./record.ts";
import type { Login, Site } from "./site.ts";
import { publicKey, sshArgs } from "./ssh.ts";

/** Where the guest of the pve-sbx stack stands in the API. */
export const GUEST = "/nodes/pve-sbx-1/qemu/210";

/** A Proxmox API that boots each virtual machine under QEMU, in the place of the cluster pve-sbx. */
export class PveSite implements Site {
  readonly guest = "a virtual machine in the lab on this machine";
  readonly unit = "hermes.service";
  readonly console: string;
  readonly portTitles = {
    api: "Proxmox API",
    image: "images",
    ssh: "guest's SSH",
    registry: "registry",
  };
  readonly api: PveClient;
  readonly token: string;
  readonly #folder: string;
  readonly #key: string;
  readonly #ports: PveRecord["ports"];

  constructor(folder: string, key: string, { ports, token }: PveRecord) {
    this.#folder = folder;
    this.#key = key;
    this.#ports = ports;
    this.token = token;
    this.api = new PveClient(`https://127.0.0.1:${ports.api}`, token);
    this.console = join(folder, "pve", "vms", "210", "console.log");
  }

  async prepare(): Promise<void> {
    mkdirSync(join(this.#folder, "snippets"), { recursive: true });
    writeFileSync(join(this.#folder, "token"), `${this.token}\n`, { mode: 0o600 });
    const vendorData = readFileSync(join(ROOT, "scripts/guest/vendor-data.yaml"));
    writeFileSync(join(this.#folder, "snippets", "hermes.yaml"), vendorData);
  }

  machines(): number[] {
    return machineFiles(this.#folder).flatMap((file) => qemuOf(file) ?? []);
  }

  apiRuns(): boolean {
    return running(apiFile(this.#folder)) !== undefined;
  }

  /** The API starts virtual machines with the ports that it was started with itself. */
  async portsChange(): Promise<void> {
    await stop(apiFile(this.#folder));
  }

  async start(): Promise<void> {
    if (this.apiRuns()) return;
    const ports = this.#ports;
    const log = join(this.#folder, "api.log");
    const mark = randomUUID();
    writeFileSync(log, `${mark}\n`, { flag: "a" });
    const child = startDetached({
      command: [
        join(PYTHON_VENV, "bin/python"),
        ...["-m", "pve", "--state", join(this.#folder, "pve"), "--host", "127.0.0.1"],
        ...["--port", `${ports.api}`, "--image-port", `${ports.image}`, "--images", IMAGES],
        ...["--ssh-port", `${ports.ssh}`, "--registry-port", `${ports.registry}`],
        ...["--accel", (await probeKvm()) ? "kvm" : "tcg", "--token-file", join(this.#folder, "token")],
        ...["--snippets", join(this.#folder, "snippets"), "--scsi-identity", "pve9"],
      ],
      cwd: join(ROOT, "test/lab"),
      log,
      pidFile: apiFile(this.#folder),
    });
    let exited = false;
    child.once("exit", () => {
      exited = true;
    });
    const said = (): string => readFileSync(log, "utf8").split(mark).at(-1) ?? "";
    for (let waited = 0; waited < 60 && !exited; waited += 0.2) {
      if (said().includes("ready https://")) return;
      await sleep(200);
    }
    await abandon(child, apiFile(this.#folder));
    const last = said().trim().split("\n").slice(-5).join("\n");
    throw new Error(`the lab's Proxmox API did not start:\n${last}\nThe whole log: ${log}`);
  }

  async wake(): Promise<void> {
    const { status } = (await this.api.call("GET", `${GUEST}/status/current`)) as { status: string };
    if (status === "stopped") await this.api.call("POST", `${GUEST}/status/start`);
  }

  async overrides(): Promise<readonly Override[]> {
    const image = await ensureDebianImage();
    return pveOverrides({
      apiPort: this.#ports.api,
      sshPort: this.#ports.ssh,
      cloudImage: {
        url: `http://127.0.0.1:${this.#ports.image}/debian-13-lab.qcow2`,
        sha512: image.sha512,
      },
      publicKey: publicKey(this.#key),
    });
  }

  secrets(): ReadonlyArray<readonly [key: string, value: string]> {
    return [["proxmoxve:apiToken", this.token]];
  }

  sshArgs({ user, hostKey }: Login): string[] {
    const knownHosts = join(this.#folder, "known_hosts");
    return sshArgs({
      host: "127.0.0.1",
      port: this.#ports.ssh,
      user,
      hostKey,
      key: this.#key,
      knownHosts,
    });
  }

  /** Through the guest's agent: no SSH connection is opened. */
  async guestStatus(): Promise<GuestStatus> {
    const { code, out, err } = await this.api.exec(GUEST, [GUEST_TOOL, "status"]);
    if (code !== 0)
      throw new Error(`\`${GUEST_TOOL} status\` failed in the guest (exit status ${code}): ${err.trim()}`);
    return JSON.parse(out) as GuestStatus;
  }
}

/** Ends the API and every virtual machine that it started in that folder. @returns what was ended. */
export async function endPveSite(folder: string): Promise<string[]> {
  const ended = (await stop(apiFile(folder))) ? ["api"] : [];
  for (const pidFile of machineFiles(folder)) {
    const pid = qemuOf(pidFile);
    if (pid === undefined) continue;
    process.kill(pid, "SIGTERM");
    for (let waited = 0; hasArgument(pid, pidFile) && waited < 15; waited += 0.2) await sleep(200);
    if (hasArgument(pid, pidFile)) process.kill(pid, "SIGKILL");
    ended.push(`virtual machine (process ${pid})`);
  }
  return ended;
}

function machineFiles(folder: string): string[] {
  const machines = join(folder, "pve", "vms");
  if (!existsSync(machines)) return [];
  return readdirSync(machines)
    .map((machine) => join(machines, machine, "qemu.pid"))
    .filter((file) => existsSync(file));
}

const apiFile = (folder: string): string => join(folder, "api.pid");
