// The configuration of a VM as PVE tells it: keys such as `scsi0` or `net0`, and option strings.

import { parseOptions } from "./text.ts";

export type Config = { readonly [key: string]: string | number | undefined };

/** In the order of their numbers. */
export function slots(config: Config, pattern: RegExp): [string, string][] {
  const number = (key: string): number => Number(/\d+$/.exec(key)?.[0]);
  const found = Object.keys(config).filter((key) => pattern.test(key) && config[key] !== undefined);
  return found.sort((a, b) => number(a) - number(b)).map((key) => [key, String(config[key])]);
}

export function volumeOf(value: string | number | undefined): string {
  return parseOptions(String(value ?? ""), "file")["file"] ?? "";
}

export function isCloudDrive(value: string, vmId: number): boolean {
  return new RegExp(`vm-${vmId}-cloudinit|:cloudinit$`).test(volumeOf(value));
}
