import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Engine, ensureEngine } from "../../scripts/setup/engine.ts";
import { pulumiEnvironment } from "../../scripts/setup/environment.ts";
import { withLock } from "../../scripts/setup/lock.ts";
import { IMAGES, labFolder, PYTHON_VENV, ROOT } from "../../scripts/setup/paths.ts";
import { ensureDebianImage } from "./images/debian-image.ts";
import { probeKvm } from "./images/kvm.ts";
import { startRegistry } from "./images/registry.ts";
import { overriddenStackFile } from "./overrides.ts";
import { abandon, hasArgument, qemuOf, running, startDetached, stop } from "./processes.ts";
import { PveClient } from "./pve-client.ts";
import { type LabRecord, movableServices, movePorts, newRecord, readRecord, writeRecord } from "./record.ts";

/** Where the guest of the pve-sbx stack stands in the API. */
export const GUEST = "/nodes/pve-sbx-1/qemu/210";
export const STACK = "pve-sbx";

/**
 * One lab: a Proxmox API with real QEMU behind it, an image registry and a Pulumi state, in a folder of its own.
 * Everything listens on 127.0.0.1. A lab outlives the command that made it; `down` removes all of it.
 * Commands at the same time take turns: each of open, up, stack and down holds the lab's lock.
 */
export class Lab {
  readonly folder: string;
  readonly #name: string;
  #record: LabRecord;

  private constructor(name: string, record: LabRecord) {
    this.#name = name;
    this.folder = labFolder(name);
    this.#record = record;
  }

  /** The lab of that name, made when there is none. Its ports stay, unless another program takes one meanwhile. */
  static async open(name: string): Promise<Lab> {
    return locked(name, async () => {
      const folder = labFolder(name);
      const file = recordFile(folder);
      if (!existsSync(file)) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeRecord(file, await newRecord());
      }
      return new Lab(name, readRecord(file));
    });
  }

  static exists(name: string): boolean {
    return existsSync(recordFile(labFolder(name)));
  }

  /** Also true for a lab that lost its record: what it started may still run. */
  static leftovers(name: string): boolean {
    return existsSync(labFolder(name));
  }

  get api(): PveClient {
    return new PveClient(`https://127.0.0.1:${this.#record.ports.api}`, this.#record.token);
  }

  get ports(): LabRecord["ports"] {
    return this.#record.ports;
  }

  /** `USER@REALM!ID=UUID`, which the lab's API takes. */
  get token(): string {
    return this.#record.token;
  }

  /** Starts what is not running. Safe to call again at any time. */
  up(): Promise<void> {
    return locked(this.#name, () => this.#up());
  }

  async #up(): Promise<void> {
    this.#readAgain();
    mkdirSync(join(this.folder, "state"), { recursive: true });
    mkdirSync(join(this.folder, "snippets"), { recursive: true });
    writeFileSync(join(this.folder, "token"), `${this.#record.token}\n`, { mode: 0o600 });
    const vendorData = readFileSync(join(ROOT, "scripts/guest/vendor-data.yaml"));
    writeFileSync(join(this.folder, "snippets", "hermes.yaml"), vendorData);
    if (!existsSync(this.#key)) {
      const args = ["-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", this.#key];
      execFileSync("ssh-keygen", args, { stdio: "inherit" });
    }
    await this.#leaveTakenPorts();
    if (running(this.#pid("registry")) === undefined) {
      await startRegistry({
        port: this.#record.ports.registry,
        pidFile: this.#pid("registry"),
        logFile: join(this.folder, "registry.log"),
      });
    }
    if (running(this.#pid("api")) === undefined) await this.#startApi();
  }

  /** Other ports for services that are about to start and whose port another program has taken. */
  async #leaveTakenPorts(): Promise<void> {
    const apiRuns = running(this.#pid("api")) !== undefined;
    const services = movableServices({
      api: apiRuns,
      registry: running(this.#pid("registry")) !== undefined,
      guest: this.machines().length > 0,
    });
    const { ports, moved } = await movePorts(this.#record.ports, services);
    if (moved.length === 0) return;
    // The API starts virtual machines with the ports that it was started with itself.
    if (apiRuns) await stop(this.#pid("api"));
    const changes = moved.map(
      (service) => `${service} ${this.#record.ports[service]} is now ${ports[service]}`,
    );
    process.stderr.write(`Ports of the lab that another program has taken: ${changes.join(", ")}\n`);
    this.#record = { ...this.#record, ports };
    writeRecord(recordFile(this.folder), this.#record);
  }

  async #startApi(): Promise<void> {
    const { ports } = this.#record;
    const log = join(this.folder, "api.log");
    const mark = randomUUID();
    writeFileSync(log, `${mark}\n`, { flag: "a" });
    const child = startDetached({
      command: [
        join(PYTHON_VENV, "bin/python"),
        ...["-m", "pve", "--state", join(this.folder, "pve"), "--host", "127.0.0.1"],
        ...["--port", `${ports.api}`, "--image-port", `${ports.image}`, "--images", IMAGES],
        ...["--ssh-port", `${ports.ssh}`, "--registry-port", `${ports.registry}`],
        ...["--accel", (await probeKvm()) ? "kvm" : "tcg", "--token-file", join(this.folder, "token")],
        ...["--snippets", join(this.folder, "snippets"), "--scsi-identity", "pve9"],
      ],
      cwd: join(ROOT, "test/lab"),
      log,
      pidFile: this.#pid("api"),
    });
    let exited = false;
    child.once("exit", () => {
      exited = true;
    });
    for (let waited = 0; waited < 60 && !exited; waited += 0.2) {
      const said = readFileSync(log, "utf8").split(mark).at(-1) ?? "";
      if (said.includes("ready https://")) return;
      await sleep(200);
    }
    const said = (readFileSync(log, "utf8").split(mark).at(-1) ?? "").trim().split("\n").slice(-5).join("\n");
    await abandon(child, this.#pid("api"));
    throw new Error(`the lab's Proxmox API did not start:\n${said}\nThe whole log: ${log}`);
  }

  down(): Promise<string[]> {
    return Lab.down(this.#name);
  }

  /** Ends the API, the registry and every virtual machine, by process id, and deletes the lab's folder. */
  static down(name: string): Promise<string[]> {
    return locked(name, () => endAll(labFolder(name)));
  }

  /** Ids of the virtual machines' processes that run. */
  machines(): number[] {
    return machineFiles(this.folder).flatMap((file) => qemuOf(file) ?? []);
  }

  /** Another command may have moved ports meanwhile, or removed the lab. */
  #readAgain(): void {
    const file = recordFile(this.folder);
    if (existsSync(file)) {
      this.#record = readRecord(file);
    } else {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeRecord(file, this.#record);
    }
  }

  get #key(): string {
    return join(this.folder, "deploy-key");
  }

  #pid(name: string): string {
    return pidFileOf(this.folder, name);
  }

  /** The engine's environment: the lab's state, and no credential but through the configuration. */
  async environment(engine: Engine): Promise<NodeJS.ProcessEnv> {
    const backendUrl = pathToFileURL(join(this.folder, "state")).href;
    return pulumiEnvironment({ engine, backendUrl, passphrase: this.#record.passphrase });
  }

  get stackFile(): string {
    return join(this.folder, `Pulumi.${STACK}.yaml`);
  }

  /**
   * Selects the stack and writes its file: the shipped one with the lab's overrides and two secrets.
   * @returns what runs the engine on it.
   */
  stack(shipped = join(ROOT, `Pulumi.${STACK}.yaml`)): Promise<Stack> {
    return locked(this.#name, () => this.#stack(shipped));
  }

  async #stack(shipped: string): Promise<Stack> {
    if (!Lab.exists(this.#name))
      throw new Error(`the lab was removed meanwhile (${this.folder}): run \`npm start\``);
    this.#readAgain();
    const engine = await ensureEngine();
    const env = await this.environment(engine);
    const image = await ensureDebianImage();
    const text = overriddenStackFile(shipped, {
      apiPort: this.#record.ports.api,
      sshPort: this.#record.ports.ssh,
      cloudImage: {
        url: `http://127.0.0.1:${this.#record.ports.image}/debian-13-lab.qcow2`,
        sha512: image.sha512,
      },
      publicKey: readFileSync(`${this.#key}.pub`, "utf8").trim(),
    });
    const stamp = join(this.folder, "stack-file.sha256");
    const digest = createHash("sha256").update(text).digest("hex");
    const stack = new Stack(engine.pulumi, env, this.stackFile);
    if (!existsSync(this.stackFile) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== digest) {
      writeFileSync(this.stackFile, `${text}${salt(this.stackFile)}`);
      // Making a stack writes its salt into the stack file of the current folder: not into the shipped one.
      copyFileSync(join(ROOT, "Pulumi.yaml"), join(this.folder, "Pulumi.yaml"));
      const make = ["stack", "select", "--create", STACK, "--non-interactive"];
      execFileSync(engine.pulumi, make, { cwd: this.folder, env, stdio: ["ignore", "ignore", "inherit"] });
      stack.run(
        ["config", "set", "--secret", "--path", "hermes:ssh.privateKey"],
        readFileSync(this.#key, "utf8"),
      );
      stack.run(["config", "set", "--secret", "proxmoxve:apiToken"], this.#record.token);
      writeFileSync(stamp, digest);
    }
    return stack;
  }

  /** Arguments for OpenSSH that lead into the guest, its host key pinned to what the deploy learnt. */
  sshArgs(hostKey: string, user: string): string[] {
    const { ssh } = this.#record.ports;
    const knownHosts = join(this.folder, "known_hosts");
    writeFileSync(knownHosts, `[127.0.0.1]:${ssh} ${hostKey}\n`);
    const options = [
      "StrictHostKeyChecking=yes",
      `UserKnownHostsFile=${sshPath(knownHosts)}`,
      // Not -i: it looks for the file before % is expanded.
      `IdentityFile=${sshPath(this.#key)}`,
      "IdentitiesOnly=yes",
    ];
    return ["-p", `${ssh}`, ...options.flatMap((option) => ["-o", option]), `${user}@127.0.0.1`];
  }
}

/** The engine on the lab's stack. */
export class Stack {
  readonly pulumi: string;
  readonly env: NodeJS.ProcessEnv;
  readonly file: string;

  constructor(pulumi: string, env: NodeJS.ProcessEnv, file: string) {
    this.pulumi = pulumi;
    this.env = env;
    this.file = file;
  }

  /** Arguments that every command on the stack takes. */
  get selection(): string[] {
    return ["--stack", STACK, "--config-file", this.file];
  }

  /** Runs a command to its end. @returns its output. @throws Error with all that it said. */
  run(args: readonly string[], input = ""): string {
    const all = [...args, "--non-interactive", "--color", "never", ...this.selection];
    return execFileSync(this.pulumi, all, {
      cwd: ROOT,
      env: this.env,
      input,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
  }

  outputs(): Readonly<{ [name: string]: string }> {
    const text = execFileSync(this.pulumi, ["stack", "output", "--json", "--stack", STACK], {
      cwd: ROOT,
      env: this.env,
      encoding: "utf8",
    });
    return JSON.parse(text) as { [name: string]: string };
  }
}

/** The salt line of an earlier file: the state was encrypted with it. */
function salt(file: string): string {
  if (!existsSync(file)) return "";
  return /^encryptionsalt: .*\n?/m.exec(readFileSync(file, "utf8"))?.[0] ?? "";
}

/** A path as ssh_config(5) takes it: in quotes, since spaces separate; % begins a token. */
const sshPath = (path: string): string => `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;

/** One command at a time on a lab; what runs in it must not take it again. */
const locked = <T>(name: string, run: () => Promise<T>): Promise<T> => withLock(`lab-${name}`, run);

async function endAll(folder: string): Promise<string[]> {
  const ended: string[] = [];
  for (const name of ["api", "registry"]) {
    if (await stop(pidFileOf(folder, name))) ended.push(name);
  }
  for (const pidFile of machineFiles(folder)) {
    const pid = qemuOf(pidFile);
    if (pid === undefined) continue;
    process.kill(pid, "SIGTERM");
    for (let waited = 0; hasArgument(pid, pidFile) && waited < 15; waited += 0.2) await sleep(200);
    if (hasArgument(pid, pidFile)) process.kill(pid, "SIGKILL");
    ended.push(`virtual machine (process ${pid})`);
  }
  rmSync(folder, { recursive: true, force: true });
  return ended;
}

function machineFiles(folder: string): string[] {
  const machines = join(folder, "pve", "vms");
  if (!existsSync(machines)) return [];
  return readdirSync(machines)
    .map((machine) => join(machines, machine, "qemu.pid"))
    .filter((file) => existsSync(file));
}

const pidFileOf = (folder: string, name: string): string => join(folder, `${name}.pid`);
const recordFile = (folder: string): string => join(folder, "lab.json");
