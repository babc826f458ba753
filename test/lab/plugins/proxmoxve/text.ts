// PVE's option strings: `virtio=AA:BB,bridge=vmbr0,firewall=1`.

export type Options = { [name: string]: string };

/** The first part may lack its name: `local-lvm:vm-1-disk-0,size=8G` has it under `first`. */
export function parseOptions(text: string, first: string): Options {
  const options: Options = {};
  for (const [index, part] of text.split(",").filter(Boolean).entries()) {
    const at = part.indexOf("=");
    if (at < 0 && index === 0) options[first] = part;
    else if (at >= 0) options[part.slice(0, at)] = part.slice(at + 1);
  }
  return options;
}

/** Leaves out what is undefined or empty. */
export function formatOptions(options: {
  readonly [name: string]: string | number | boolean | undefined;
}): string {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${typeof value === "boolean" ? Number(value) : value}`)
    .join(",");
}

const UNITS: { [unit: string]: number } = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** `32G`, `512M`, or bytes. Whole GiB, rounded up. */
export function gibibytes(size: string | undefined): number | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(size ?? "") ?? [];
  return number === undefined ? undefined : Math.ceil((Number(number) * (UNITS[unit] ?? 1)) / 2 ** 30);
}

/** A duration of Go: `90s`, `15m`, `1h30m`. */
export function milliseconds(duration: string): number {
  const factors: { [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== duration) {
    throw new Error(
      `agent.timeout is ${JSON.stringify(duration)}; allowed is a duration such as "90s", "15m" or "1h30m"`,
    );
  }
  return parts.reduce((sum, [, number, unit = "s"]) => sum + Number(number) * (factors[unit] ?? 0), 0);
}
