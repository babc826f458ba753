import { UsageError } from "./arguments.ts";
import type { ReviewGate } from "./gates.ts";
import { isRecord } from "./stack-file.ts";

const LEVEL = "enforcementLevel";

/**
 * The gates as a file for `--policy-pack-config` changes them. The engine passes over a gate or a setting that it does
 * not know, and whoever misspelled one believes that it is in force.
 * @param text a JSON object: gate → level, or gate → its settings with `enforcementLevel` among them; `all` stands for
 *   every gate that is not named.
 * @throws UsageError when it is no such object, or names a gate or a setting that there is not.
 */
export function configuredGates(
  gates: readonly ReviewGate[],
  text: string,
  file: string,
): readonly ReviewGate[] {
  const config = parsed(text, file);
  const ids = gates.map(({ id }) => id);
  for (const [name, value] of Object.entries(config)) {
    const settings = name === "all" ? [] : gates.find(({ id }) => id === name)?.settings;
    if (settings === undefined) {
      throw new UsageError(`${file}: there is no gate ${name}; there are all, ${ids.join(", ")}`);
    }
    const unknown = isRecord(value)
      ? Object.keys(value).find((key) => ![LEVEL, ...settings].includes(key))
      : undefined;
    if (unknown !== undefined) {
      throw new UsageError(
        `${file}: ${name} has no setting ${unknown}; there are ${[LEVEL, ...settings].join(", ")}`,
      );
    }
  }
  return gates.map((gate) => {
    const level = levelOf(config[gate.id]) ?? levelOf(config["all"]) ?? gate.level;
    return level === gate.level ? gate : { ...gate, level, byDefault: gate.level };
  });
}

/** Which values are levels is the engine's to say. */
function levelOf(value: unknown): string | undefined {
  const level = isRecord(value) ? value[LEVEL] : value;
  return typeof level === "string" ? level : undefined;
}

function parsed(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(value))
    throw new UsageError(`${file} is no JSON object of gates and their levels or settings`);
  return value;
}
