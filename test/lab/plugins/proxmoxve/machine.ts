// One VM on one node: what the provider asks of it, in the order in which the real one asks.

import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "../base/resource.ts";
import type { Values } from "../base/values.ts";
import { type Params, Pve, PveError } from "./api.ts";
import type { Config } from "./config.ts";
import { decodeVm } from "./decode.ts";
import type { Vm } from "./defaults.ts";
import { milliseconds, parseOptions } from "./text.ts";

type Interface = { name?: string; "hardware-address"?: string; "ip-addresses"?: Address[] };
type Address = { "ip-address"?: string; "ip-address-type"?: string };

export class Machine {
  readonly pve: Pve;
  readonly vmId: number;
  readonly #base: string;
  readonly #node: string;
  readonly #context: Context;

  constructor(context: Context, node: string, vmId: number) {
    this.pve = new Pve(context.config, context.signal);
    this.vmId = vmId;
    this.#node = node;
    this.#base = `/nodes/${encodeURIComponent(node)}/qemu/${vmId}`;
    this.#context = context;
  }

  /** The node that the cluster has it on; undefined when there is no such VM. */
  static async find(context: Context, vmId: number): Promise<string | undefined> {
    const listed = await new Pve(context.config, context.signal).request("GET", "/cluster/resources", {
      type: "vm",
    });
    return (listed as { vmid?: number; node?: string }[]).find((each) => Number(each.vmid) === vmId)?.node;
  }

  static async nextId(context: Context): Promise<number> {
    return Number(await new Pve(context.config, context.signal).request("GET", "/cluster/nextid"));
  }

  async create(params: Params): Promise<void> {
    await this.#task(await this.pve.request("POST", `/nodes/${encodeURIComponent(this.#node)}/qemu`, params));
  }

  async configure(params: Params): Promise<void> {
    if (Object.keys(params).length > 0) await this.pve.request("PUT", `${this.#base}/config`, params);
  }

  async rebuildCloudInit(): Promise<void> {
    await this.pve.request("PUT", `${this.#base}/cloudinit`);
  }

  async resize(disk: string, gibibytes: number): Promise<void> {
    await this.#task(
      await this.pve.request("PUT", `${this.#base}/resize`, { disk, size: String(gibibytes * 2 ** 30) }),
    );
  }

  async makeTemplate(): Promise<void> {
    await this.#task(await this.pve.request("POST", `${this.#base}/template`));
  }

  async config(): Promise<Config> {
    return (await this.pve.request("GET", `${this.#base}/config`)) as Config;
  }

  async isRunning(): Promise<boolean> {
    return (await this.#status()) !== "stopped";
  }

  async #status(): Promise<string | undefined> {
    const status = (await this.pve.request("GET", `${this.#base}/status/current`)) as { status?: string };
    return status.status;
  }

  async start({ timeoutStartVm }: Vm): Promise<void> {
    await this.#task(
      await this.pve.request("POST", `${this.#base}/status/start`, { timeout: String(timeoutStartVm) }),
    );
    await this.#until("running", timeoutStartVm);
  }

  /** With an agent PVE can ask the guest; without one the real provider pulls the plug. */
  async stop(vm: Vm, hard = false): Promise<void> {
    if (!(await this.isRunning())) return;
    const agent = parseOptions(String((await this.config())["agent"] ?? ""), "enabled")["enabled"] === "1";
    const gently = agent && !hard;
    const seconds = gently ? vm.timeoutShutdownVm : vm.timeoutStopVm;
    const params: Params = gently ? { forceStop: "1", timeout: String(seconds) } : {};
    await this.#task(
      await this.pve.request("POST", `${this.#base}/status/${gently ? "shutdown" : "stop"}`, params),
    );
    await this.#until("stopped", seconds);
  }

  /** The slash before the question mark is the real provider's. */
  async destroy({
    purgeOnDestroy,
    deleteUnreferencedDisksOnDestroy,
    timeoutShutdownVm,
    timeoutStopVm,
  }: Vm): Promise<void> {
    const query = `destroy-unreferenced-disks=${Number(deleteUnreferencedDisksOnDestroy)}&purge=${Number(purgeOnDestroy)}`;
    await this.#task(await this.pve.request("DELETE", `${this.#base}/?${query}`));
    await this.#until(undefined, Math.max(timeoutShutdownVm, timeoutStopVm));
  }

  async #until(wanted: string | undefined, seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1000;
    for (let delay = 100; Date.now() < end; delay = Math.min(delay * 1.5, 1000)) {
      try {
        if ((await this.#status()) === wanted) return;
      } catch (error) {
        if (error instanceof PveError && error.isMissing && wanted === undefined) return;
        throw error;
      }
      await wait(delay, undefined, { signal: this.#context.signal });
    }
    const state = wanted === undefined ? "gone" : wanted;
    throw new Error(
      `VM ${this.vmId} on ${this.#node} is not ${state} after ${seconds} s: look at its task log in PVE`,
    );
  }

  /** Everything that the outputs tell. */
  async read(known: Vm): Promise<Values> {
    const config = await this.config();
    const running = await this.isRunning();
    const vm = decodeVm(config, known, this.vmId, running);
    for (const disk of vm.disks)
      disk.fileFormat ??= await this.#formatOf(`${disk.datastoreId}:${disk.pathInDatastore}`);
    const devices = (vm.networkDevices ?? []).map(({ macAddress }) => macAddress ?? "");
    const found = running && vm.agent.enabled ? await this.#interfaces(vm) : undefined;
    const addresses = (type: string): string[][] =>
      (found ?? []).map((each) =>
        (each["ip-addresses"] ?? [])
          .filter((ip) => ip["ip-address-type"] === type)
          .map((ip) => ip["ip-address"] ?? ""),
      );
    return {
      ...(vm as unknown as Values),
      nodeName: this.#node,
      ipv4Addresses: addresses("ipv4"),
      ipv6Addresses: addresses("ipv6"),
      macAddresses: found?.map((each) => (each["hardware-address"] ?? "").toUpperCase()) ?? devices,
      networkInterfaceNames: found?.map((each) => each.name ?? "") ?? [],
    };
  }

  async #formatOf(volume: string): Promise<string> {
    const storage = encodeURIComponent(volume.split(":")[0] ?? "");
    const path = `/nodes/${encodeURIComponent(this.#node)}/storage/${storage}/content/${encodeURIComponent(volume)}`;
    const found = (await this.pve.request("GET", path).catch((error: unknown) => {
      // A volume that is gone must not keep the VM from being destroyed.
      if (error instanceof PveError) return {};
      throw error;
    })) as { format?: string } | null;
    return found?.format ?? "raw";
  }

  /** Waits for any address that is neither loopback nor link-local; after agent.timeout it only warns. */
  async #interfaces({ agent }: Vm): Promise<Interface[] | undefined> {
    if (agent.waitForIp?.disabled === true) return undefined;
    const wanted = [agent.waitForIp?.ipv4 && "ipv4", agent.waitForIp?.ipv6 && "ipv6"].filter(Boolean);
    const end = Date.now() + milliseconds(agent.timeout);
    for (let delay = 200; ; delay = Math.min(delay * 1.5, 2000)) {
      try {
        const answer = await this.pve.request("GET", `${this.#base}/agent/network-get-interfaces`);
        const found = (answer as { result?: Interface[] } | null)?.result ?? [];
        const types = new Set(
          found
            .flatMap((each) => each["ip-addresses"] ?? [])
            .filter(isGlobal)
            .map((ip) => ip["ip-address-type"]),
        );
        if (wanted.length > 0 ? wanted.every((type) => types.has(String(type))) : types.size > 0)
          return found;
      } catch (error) {
        if (!(error instanceof PveError)) throw error;
        if (error.status === 403) return this.#withoutAddresses(error.message);
      }
      if (Date.now() + delay > end) {
        return this.#withoutAddresses(
          `the guest agent of VM ${this.vmId} told no address within ${agent.timeout}`,
        );
      }
      await wait(delay, undefined, { signal: this.#context.signal });
    }
  }

  #withoutAddresses(reason: string): undefined {
    this.#context.log("warning", `error waiting for network interfaces from QEMU agent: ${reason}`);
    return undefined;
  }

  async #task(answer: unknown): Promise<void> {
    await this.pve.task(answer, (message) => this.#context.log("warning", message));
  }
}

function isGlobal({ "ip-address": address = "" }: Address): boolean {
  return address !== "" && !/^(127\.|169\.254\.|::1$|fe[89ab]|0\.0\.0\.0$|::$)/i.test(address);
}
