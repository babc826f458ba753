/** What a lab remembers of itself: its ports and secrets, in `lab.json`. */
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { writeAtomically } from "../../scripts/setup/stamps.ts";
import { freePort, isFree } from "./ports.ts";

const port = z.int().min(1).max(65_535);
const schema = z.object({
  ports: z.object({ api: port, image: port, ssh: port, registry: port }).readonly(),
  /** `USER@REALM!ID=UUID`, which the lab's API takes. */
  token: z.string().min(1),
  passphrase: z.string().min(1),
});

export type LabRecord = Readonly<z.infer<typeof schema>>;
export type Service = keyof LabRecord["ports"];

const PREFERRED: LabRecord["ports"] = { api: 18_006, image: 18_007, ssh: 12_222, registry: 15_000 };
const SERVICES = Object.keys(PREFERRED) as Service[];

/** A record with secrets of its own and ports that are free now. */
export async function newRecord(): Promise<LabRecord> {
  const { ports } = await movePorts(PREFERRED, SERVICES);
  return {
    ports,
    token: `hermes@pve!deploy=${randomUUID()}`,
    passphrase: randomBytes(18).toString("base64url"),
  };
}

export const writeRecord = (file: string, record: LabRecord): void =>
  writeAtomically(file, `${JSON.stringify(record, undefined, 2)}\n`, 0o600);

/** @throws Error that names the file and the way out when it is not a whole record. */
export function readRecord(file: string): LabRecord {
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8")));
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

/** The services whose port may change, given what runs. */
export function movableServices(
  runs: Readonly<{ [name in "api" | "registry" | "guest"]: boolean }>,
): Service[] {
  return [
    ...(runs.api ? [] : (["api", "image"] as const)),
    // A virtual machine keeps, from its start to its end, the port that leads to it and the one to the registry.
    ...(runs.guest ? [] : (["ssh"] as const)),
    ...(runs.guest || runs.registry ? [] : (["registry"] as const)),
  ];
}

/** Finds another port for each of `services` whose port is taken. @returns all ports, and the services that moved. */
export async function movePorts(
  ports: LabRecord["ports"],
  services: readonly Service[],
): Promise<{ ports: LabRecord["ports"]; moved: Service[] }> {
  let now = ports;
  const moved: Service[] = [];
  for (const service of services) {
    if (await isFree(now[service])) continue;
    now = { ...now, [service]: await freePort(0, Object.values(now)) };
    moved.push(service);
  }
  return { ports: now, moved };
}
