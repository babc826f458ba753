/** What a lab remembers of itself: its stack, ports and secrets, in `lab.json`. */
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { writeAtomically } from "../../scripts/setup/stamps.ts";
import { freePort, isFree } from "./ports.ts";

/** The stacks that a lab can be made for. */
export const STACKS = ["pve-sbx", "chopper"] as const;
export type StackName = (typeof STACKS)[number];

const port = z.int().min(1).max(65_535);
const passphrase = z.string().min(1);
const pveRecord = z.object({
  stack: z.literal("pve-sbx"),
  ports: z.object({ api: port, image: port, ssh: port, registry: port }).readonly(),
  /** `USER@REALM!ID=UUID`, which the lab's API takes. */
  token: z.string().min(1),
  passphrase,
});
const chopperRecord = z.object({
  stack: z.literal("chopper"),
  ports: z.object({ ssh: port, registry: port }).readonly(),
  passphrase,
});
const schema = z.discriminatedUnion("stack", [pveRecord, chopperRecord]);

export type PveRecord = Readonly<z.infer<typeof pveRecord>>;
export type ChopperRecord = Readonly<z.infer<typeof chopperRecord>>;
export type LabRecord = PveRecord | ChopperRecord;
export type Service = keyof PveRecord["ports"];
/** A chopper lab has some of the services only. */
export type Ports = Readonly<{ [service in Service]?: number }>;

/** The ports that a lab takes when they are free: each stack its own, so that both labs may run. */
const PREFERRED = {
  "pve-sbx": { api: 18_006, image: 18_007, ssh: 12_222, registry: 15_000 },
  chopper: { ssh: 12_223, registry: 15_001 },
} as const satisfies { [stack in StackName]: Ports };

/** A record with secrets of its own and ports that are free now. */
export async function newRecord(stack: StackName): Promise<LabRecord> {
  const passphrase = randomBytes(18).toString("base64url");
  if (stack === "chopper") {
    const { ports } = await movePorts(PREFERRED.chopper, servicesOf(PREFERRED.chopper));
    return { stack, ports, passphrase };
  }
  const { ports } = await movePorts(PREFERRED[stack], servicesOf(PREFERRED[stack]));
  return { stack, ports, token: `hermes@pve!deploy=${randomUUID()}`, passphrase };
}

export const writeRecord = (file: string, record: LabRecord): void =>
  writeAtomically(file, `${JSON.stringify(record, undefined, 2)}\n`, 0o600);

/** @throws Error that names the file and the way out when it is not a whole record. */
export function readRecord(file: string): LabRecord {
  try {
    // A record without a stack is one of pve-sbx.
    return schema.parse({ stack: "pve-sbx", ...JSON.parse(readFileSync(file, "utf8")) });
  } catch (error) {
    const found =
      error instanceof z.ZodError
        ? z.prettifyError(error)
        : error instanceof Error
          ? error.message
          : String(error);
    throw new Error(
      `${file}, which holds the lab's ports and secrets, is damaged:\n${found}\nWithout it the lab is lost. End what is left of it with \`npm run lab -- down\`, then \`npm start\` makes a new one.`,
    );
  }
}

/** The services of `ports` whose port may change, given what runs. */
export function movableServices<P extends Ports>(
  ports: P,
  runs: Readonly<{ [name in "api" | "registry" | "guest"]: boolean }>,
): (keyof P & Service)[] {
  const movable: Service[] = [
    ...(runs.api ? [] : (["api", "image"] as const)),
    // A virtual machine keeps, from its start to its end, the port that leads to it and the one to the registry.
    ...(runs.guest ? [] : (["ssh"] as const)),
    ...(runs.guest || runs.registry ? [] : (["registry"] as const)),
  ];
  return servicesOf(ports).filter((service) => movable.includes(service));
}

/** Finds another port for each of `services` whose port is taken. @returns all ports, and the services that moved. */
export async function movePorts<P extends Ports>(
  ports: P,
  services: readonly (keyof P & Service)[],
): Promise<{ ports: { [service in keyof P]: number }; moved: (keyof P & Service)[] }> {
  const now = { ...ports } as { [service in keyof P]: number };
  const moved: (keyof P & Service)[] = [];
  for (const service of services) {
    if (await isFree(now[service])) continue;
    now[service] = await freePort(0, Object.values<number>(now));
    moved.push(service);
  }
  return { ports: now, moved };
}

const servicesOf = <P extends Ports>(ports: P): (keyof P & Service)[] =>
  Object.keys(ports) as (keyof P & Service)[];
