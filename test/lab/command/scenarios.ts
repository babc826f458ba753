import { readFileSync } from "node:fs";
import type { SshMachine } from "../chopper/ssh-machine.ts";

const DRIVER = readFileSync(new URL("driver.py", import.meta.url), "utf8");

/**
 * What a person and a script do with the command `hermes`, done in a guest over one connection: under emulation each
 * costs seconds. driver.py says what each scenario is, and what comes of it.
 * @param user a login of the guest that may use sudo and that the stack file's hostUsers name.
 * @throws Error when a scenario could not be played.
 */
export async function scenarios<Results>(
  guest: SshMachine,
  user: string,
  names: readonly (keyof Results)[],
): Promise<Results> {
  const command = `/usr/bin/python3 - ${user} ${names.join(" ")}`;
  return JSON.parse(await guest.exec(command, { input: DRIVER, seconds: 900 })) as Results;
}

/** Seconds of each run of the runtime alone and of the command, alternating, in the guest. */
export interface Speed {
  readonly raw: readonly number[];
  readonly command: readonly number[];
}
