import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostTool } from "../../../components/guest/microvm/host-tool.ts";
import { stepFunction } from "../../../scripts/setup/progress.ts";
import type { GuestStatus } from "../guest-status.ts";
import { probeKvm } from "../images/kvm.ts";
import { lastLines } from "../last-lines.ts";
import { chopperOverrides, type Override } from "../overrides.ts";
import { abandon, running, startDetached, stop } from "../processes.ts";
import type { ChopperRecord } from "../record.ts";
import type { Login, Site } from "../site.ts";
import { ensureKey, publicKey, type Server, sshArgs } from "../ssh.ts";
import { sshAnswers } from "./banner.ts";
import { writeCredential } from "./credentials.ts";
import { ensureDisk } from "./disk.ts";
import { FILES, qemuCommand } from "./qemu.ts";
import { SshMachine } from "./ssh-machine.ts";

export const GUEST = "vm-hermes";
/** The login on chopper that the shipped stack file names. */
const USER = "mhelton";
/** Several times what a start takes under emulation. */
const START_SECONDS = 300;

/** A virtual machine that plays the NixOS host chopper: see test/lab/chopper. */
export class ChopperSite implements Site {
  readonly guest = "a microvm of the lab's stand-in for chopper";
  readonly unit = `microvm@${GUEST}.service`;
  readonly console: string;
  readonly portTitles = { ssh: "chopper's SSH", registry: "registry" };
  readonly #lab: string;
  readonly #folder: string;
  readonly #key: string;
  readonly #ports: ChopperRecord["ports"];

  /** @param key the lab's deploy key. */
  constructor(lab: string, key: string, { ports }: ChopperRecord) {
    this.#lab = lab;
    this.#folder = join(lab, "chopper");
    this.#key = key;
    this.#ports = ports;
    this.console = join(this.#folder, FILES.console);
  }

  /** The host key is made here, so that it is known before the machine starts and is never taken on trust. */
  async prepare(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    ensureKey(this.#hostKey, "chopper");
    ensureKey(this.#readerKey, "questions of the lab");
  }

  machines(): number[] {
    const pid = running(pidFile(this.#lab));
    return pid === undefined ? [] : [pid];
  }

  apiRuns(): boolean {
    return false;
  }

  /** They change only while the machine is off. */
  async portsChange(): Promise<void> {}

  async start(): Promise<void> {
    const machine = this.machines().length > 0 ? undefined : await this.#startMachine();
    // One that runs has nothing to be waited for, unless an earlier command was ended while it did.
    if (machine === undefined && (await sshAnswers(this.#ports.ssh, 3, () => true))) return;
    const runs = (): boolean => this.machines().length > 0;
    await stepFunction("The lab's chopper: starting", 60, async () => {
      if (await sshAnswers(this.#ports.ssh, START_SECONDS, runs)) return;
      const why = runs() ? `its SSH did not answer within ${START_SECONDS} s` : "QEMU ended";
      const log = runs() ? this.console : join(this.#folder, "qemu.log");
      if (machine !== undefined) await abandon(machine, pidFile(this.#lab));
      throw new Error(
        `the lab's chopper did not start: ${why}. The last lines of ${log}:\n${lastLines(log, 10)}`,
      );
    });
  }

  async #startMachine(): Promise<ReturnType<typeof startDetached>> {
    await ensureDisk(this.#folder);
    const credential = writeCredential(this.#folder, [
      {
        path: `/etc/ssh/authorized_keys.d/${USER}`,
        mode: "0444",
        content: `${publicKey(this.#key)}\n${publicKey(this.#readerKey)}\n`,
      },
      {
        path: "/etc/ssh/ssh_host_ed25519_key",
        mode: "0600",
        content: readFileSync(this.#hostKey, "utf8"),
      },
    ]);
    const log = join(this.#folder, "qemu.log");
    writeFileSync(log, "");
    const machine = startDetached({
      command: qemuCommand({
        kvm: await probeKvm(join(this.#folder, FILES.kernel)),
        ports: this.#ports,
        credentials: [credential],
      }),
      cwd: this.#folder,
      log,
      pidFile: pidFile(this.#lab),
    });
    machine.on("error", (error) => writeFileSync(log, `${error.message}: install qemu-system-x86\n`));
    return machine;
  }

  wake(): Promise<void> {
    return this.start();
  }

  async overrides(): Promise<readonly Override[]> {
    return chopperOverrides({
      sshPort: this.#ports.ssh,
      hostKey: withoutComment(publicKey(this.#hostKey)),
      publicKey: publicKey(this.#key),
    });
  }

  secrets(): ReadonlyArray<readonly [key: string, value: string]> {
    return [];
  }

  /** Through chopper: nothing else leads into the guest's network. */
  sshArgs(login: Login): string[] {
    const guest = { ...login, host: login.address, port: 22, key: this.#key };
    return sshArgs(
      { ...guest, knownHosts: join(this.#folder, "known_hosts.guest") },
      this.#server(this.#key),
    );
  }

  /** chopper itself, asked with a key of the lab's own, by which its journal tells these logins from a deploy's. */
  get host(): SshMachine {
    return new SshMachine(sshArgs(this.#server(this.#readerKey)));
  }

  async guestStatus(): Promise<GuestStatus> {
    const command = `${hostTool(GUEST)} status ${GUEST}`;
    const { out, err, code } = await this.host.run(command);
    if (out === "") throw new Error(`\`${command}\` failed on chopper (exit status ${code}): ${err.trim()}`);
    // Ended with 1 it has printed the same: something is not as it should be.
    const { state, version, image } = JSON.parse(out) as { [key in "state" | "version" | "image"]: string };
    return { state, version, image: image === null ? null : { name: image } };
  }

  #server(key: string): Server {
    return {
      host: "127.0.0.1",
      port: this.#ports.ssh,
      user: USER,
      hostKey: withoutComment(publicKey(this.#hostKey)),
      key,
      knownHosts: join(this.#folder, "known_hosts"),
    };
  }

  get #hostKey(): string {
    return join(this.#folder, "host-key");
  }

  get #readerKey(): string {
    return join(this.#folder, "reader-key");
  }
}

/** Ends chopper. @returns what was ended. */
export async function endChopperSite(lab: string): Promise<string[]> {
  const pid = running(pidFile(lab));
  return (await stop(pidFile(lab), 15)) ? [`chopper (process ${pid})`] : [];
}

const pidFile = (lab: string): string => join(lab, "chopper.pid");

/** An OpenSSH public key as `type base64`. */
const withoutComment = (key: string): string => key.split(" ").slice(0, 2).join(" ");
