import type { GuestStatus } from "./guest-status.ts";
import type { Override } from "./overrides.ts";
import type { Ports } from "./record.ts";

/** Where the guest is, and how one logs in to it. */
export interface Login {
  readonly address: string;
  readonly user: string;
  /** The guest's own, as `type base64`. */
  readonly hostKey: string;
}

/**
 * What differs between the labs of two stacks: the machines that the stack is deployed on. A site holds no state but
 * its folder and the lab's record; it is made anew when the record changes.
 */
export interface Site {
  /** What the guest is, for people. */
  readonly guest: string;
  /** The unit whose state says whether Hermes is up. */
  readonly unit: string;
  /** Where what the machine printed can be read. */
  readonly console: string;
  /** What each port of 127.0.0.1 is for, in the order in which people read it. */
  readonly portTitles: Readonly<{ [service in keyof Ports]: string }>;
  /** Writes the files that `start` and the stack file need. Safe to call again. */
  prepare(): Promise<void>;
  /** Ids of the machines' processes that run. */
  machines(): number[];
  /** Whether the API runs, which has ports of its own. */
  apiRuns(): boolean;
  /** Called before ports change: ends what was started with them and can be started again. */
  portsChange(): Promise<void>;
  /** Starts what is not running, and waits until a deploy can begin. */
  start(): Promise<void>;
  /** Starts a machine that was powered off. */
  wake(): Promise<void>;
  /** The complete list of differences from the shipped stack file. */
  overrides(): Promise<readonly Override[]>;
  /** Secrets of the stack besides hermes:ssh.privateKey, by their key. */
  secrets(): ReadonlyArray<readonly [key: string, value: string]>;
  /** Arguments for OpenSSH that lead into the guest. */
  sshArgs(login: Login): string[];
  /** @throws Error that says why nothing can be read. */
  guestStatus(): Promise<GuestStatus>;
}
