import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Engine, ensureEngine } from "../../scripts/setup/engine.ts";
import { pulumiEnvironment } from "../../scripts/setup/environment.ts";
import { withLock } from "../../scripts/setup/lock.ts";
import { labFolder, ROOT } from "../../scripts/setup/paths.ts";
import { startCommand } from "./choice.ts";
import { ChopperSite, endChopperSite } from "./chopper/site.ts";
import type { SshMachine } from "./chopper/ssh-machine.ts";
import { startRegistry } from "./images/registry.ts";
import { overriddenStackFile } from "./overrides.ts";
import { running, stop } from "./processes.ts";
import type { PveClient } from "./pve-client.ts";
import { endPveSite, PveSite } from "./pve-site.ts";
import {
  type LabRecord,
  movableServices,
  movePorts,
  newRecord,
  type Ports,
  readRecord,
  type StackName,
  writeRecord,
} from "./record.ts";
import type { Login, Site } from "./site.ts";
import { ensureKey } from "./ssh.ts";
import { Stack } from "./stack.ts";

export { GUEST } from "./pve-site.ts";
export { Stack } from "./stack.ts";

/** The stack that is meant where none is named. */
export const STACK: StackName = "pve-sbx";
/** The lab that `npm start` makes for each stack. */
export const DEFAULT_LABS: { readonly [stack in StackName]: string } = {
  "pve-sbx": "default",
  chopper: "chopper",
};

/**
 * One lab: the machines that a stack is deployed on (its site), an image registry and a Pulumi state, in a folder of its
 * own. Everything listens on 127.0.0.1. A lab outlives the command that made it; `down` removes all of it.
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

  /**
   * The lab of that name, made when there is none. Its ports stay, unless another program takes one meanwhile.
   * @throws Error when it is there for another stack.
   */
  static async open(name: string, stack: StackName = STACK): Promise<Lab> {
    return locked(name, async () => {
      const folder = labFolder(name);
      const file = recordFile(folder);
      if (!existsSync(file)) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeRecord(file, await newRecord(stack));
      }
      const record = readRecord(file);
      if (record.stack !== stack) {
        throw new Error(`the lab ${name} (${folder}) is one of the stack ${record.stack}, not of ${stack}`);
      }
      return new Lab(name, record);
    });
  }

  static exists(name: string): boolean {
    return existsSync(recordFile(labFolder(name)));
  }

  /** Also true for a lab that lost its record: what it started may still run. */
  static leftovers(name: string): boolean {
    return existsSync(labFolder(name));
  }

  get stackName(): StackName {
    return this.#record.stack;
  }

  get ports(): Ports {
    return this.#record.ports;
  }

  get site(): Site {
    return this.#site;
  }

  get #site(): PveSite | ChopperSite {
    const record = this.#record;
    return record.stack === "chopper"
      ? new ChopperSite(this.folder, this.#key, record)
      : new PveSite(this.folder, this.#key, record);
  }

  /** The Proxmox API of a lab of pve-sbx. */
  get api(): PveClient {
    return this.#pve.api;
  }

  /** `USER@REALM!ID=UUID`, which the API of a lab of pve-sbx takes. */
  get token(): string {
    return this.#pve.token;
  }

  get #pve(): PveSite {
    if (this.#site instanceof PveSite) return this.#site;
    throw new Error(`a lab of the stack ${this.stackName} has no Proxmox API`);
  }

  /** The NixOS host of a lab of chopper. */
  get host(): SshMachine {
    if (this.#site instanceof ChopperSite) return this.#site.host;
    throw new Error(`a lab of the stack ${this.stackName} has no NixOS host`);
  }

  /** Starts what is not running. Safe to call again at any time. */
  up(): Promise<void> {
    return locked(this.#name, () => this.#up());
  }

  async #up(): Promise<void> {
    this.#readAgain();
    mkdirSync(join(this.folder, "state"), { recursive: true });
    ensureKey(this.#key, "lab");
    await this.#site.prepare();
    await this.#leaveTakenPorts();
    if (running(registryFile(this.folder)) === undefined) {
      await startRegistry({
        port: this.#record.ports.registry,
        pidFile: registryFile(this.folder),
        logFile: join(this.folder, "registry.log"),
      });
    }
    await this.#site.start();
  }

  /** Other ports for services that are about to start and whose port another program has taken. */
  async #leaveTakenPorts(): Promise<void> {
    const record = this.#record;
    const before: Ports = record.ports;
    const runs = {
      api: this.#site.apiRuns(),
      registry: running(registryFile(this.folder)) !== undefined,
      guest: this.machines().length > 0,
    };
    const { ports, moved } = await movePorts(before, movableServices(before, runs));
    if (moved.length === 0) return;
    await this.#site.portsChange();
    const changes = moved.map((service) => `${service} ${before[service]} is now ${ports[service]}`);
    process.stderr.write(`Ports of the lab that another program has taken: ${changes.join(", ")}\n`);
    writeRecord(recordFile(this.folder), { ...record, ports } as LabRecord);
    this.#readAgain();
  }

  down(): Promise<string[]> {
    return Lab.down(this.#name);
  }

  /** Ends the registry and every machine, by process id, and deletes the lab's folder. */
  static down(name: string): Promise<string[]> {
    return locked(name, async () => {
      const folder = labFolder(name);
      // Whatever the record says, which may be lost.
      const ended = [...(await endPveSite(folder)), ...(await endChopperSite(folder))];
      if (await stop(registryFile(folder))) ended.push("registry");
      rmSync(folder, { recursive: true, force: true });
      return ended;
    });
  }

  /** Ids of the virtual machines' processes that run. */
  machines(): number[] {
    return this.#site.machines();
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

  /** The engine's environment: the lab's state, and no credential but through the configuration. */
  async environment(engine: Engine): Promise<NodeJS.ProcessEnv> {
    const backendUrl = pathToFileURL(join(this.folder, "state")).href;
    return pulumiEnvironment({ engine, backendUrl, passphrase: this.#record.passphrase });
  }

  get stackFile(): string {
    return join(this.folder, `Pulumi.${this.stackName}.yaml`);
  }

  /**
   * Selects the stack and writes its file: the shipped one with the lab's overrides and secrets.
   * @returns what runs the engine on it.
   */
  stack(shipped = join(ROOT, `Pulumi.${this.stackName}.yaml`)): Promise<Stack> {
    return locked(this.#name, () => this.#stack(shipped));
  }

  async #stack(shipped: string): Promise<Stack> {
    if (!Lab.exists(this.#name))
      throw new Error(
        `the lab was removed meanwhile (${this.folder}): run \`${startCommand(this.stackName)}\``,
      );
    this.#readAgain();
    const engine = await ensureEngine();
    const text = overriddenStackFile(shipped, await this.#site.overrides());
    const stamp = join(this.folder, "stack-file.sha256");
    const digest = createHash("sha256").update(text).digest("hex");
    const stack = new Stack(this.stackName, engine.pulumi, await this.environment(engine), this.stackFile);
    if (!existsSync(stack.file) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== digest) {
      stack.create(text);
      const key = readFileSync(this.#key, "utf8");
      stack.run(["config", "set", "--secret", "--path", "hermes:ssh.privateKey"], key);
      for (const [name, value] of this.#site.secrets()) stack.run(["config", "set", "--secret", name], value);
      writeFileSync(stamp, digest);
    }
    return stack;
  }

  /** Arguments for OpenSSH that lead into the guest, its host key pinned to what the deploy learnt. */
  sshArgs(login: Login): string[] {
    return this.#site.sshArgs(login);
  }
}

/** One command at a time on a lab; what runs in it must not take it again. */
const locked = <T>(name: string, run: () => Promise<T>): Promise<T> => withLock(`lab-${name}`, run);

const registryFile = (folder: string): string => join(folder, "registry.pid");
const recordFile = (folder: string): string => join(folder, "lab.json");
