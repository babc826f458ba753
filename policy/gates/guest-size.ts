import type { Gate, Problem } from "../pack/gate.ts";
import type { Value } from "../pack/resource.ts";
import { isValues } from "../reading/sources.ts";

interface Settings {
  readonly vcpus: Range;
  readonly memoryMiB: Range;
  readonly dataMiB: Range;
}
type Range = readonly [least: number, most: number];

// Stryker disable next-line ObjectLiteral,StringLiteral: schema of the settings, which the engine checks
const RANGE = { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 } as const;

/** Advice: sizes that people run Hermes with. */
export const guestSize: Gate<Settings> = {
  id: "guest-size",
  title: "Size of the guest",
  level: "advisory",
  reason:
    "Hermes and its tools have been run with these sizes: less gets slow or full, more is taken from other guests.",
  remediation: "Take a size within the range, or widen the range in the pack's configuration.",
  config: {
    defaults: { vcpus: [2, 4], memoryMiB: [6144, 8192], dataMiB: [32768, 65536] },
    properties: {
      vcpus: { ...RANGE, description: "Virtual CPUs: least and most." },
      memoryMiB: { ...RANGE, description: "MiB of memory: least and most." },
      dataMiB: { ...RANGE, description: "MiB of the largest persistent disk: least and most." },
    },
  },
  check: ({ type, props }, settings) => {
    if (type !== "hermes:index:HermesGuest") return [];
    return [
      ...outside("vcpus", props["vcpus"], settings.vcpus),
      ...outside("memoryMiB", props["memoryMiB"], settings.memoryMiB),
      ...outside("disks › largest persistent › sizeMiB", largestPersistent(props["disks"]), settings.dataMiB),
    ];
  },
};

/** Undefined without a persistent disk, and while a size is not known: it may be the largest. */
function largestPersistent(value: Value): number | undefined {
  const disks = [value].flat() as readonly Value[];
  const sizes = disks
    .filter(isValues)
    .flatMap((disk) => (disk["persistent"] === true ? [disk["sizeMiB"]] : []));
  const known = sizes.filter((size) => typeof size === "number");
  return known.length < sizes.length ? undefined : known.toSorted((one, other) => other - one)[0];
}

function outside(at: string, value: Value, [least, most]: Range): Problem[] {
  if (typeof value !== "number" || (value >= least && value <= most)) return [];
  return [{ at, value, message: `is outside ${least} to ${most}` }];
}
