/** A gate as a review lists it. */
export interface ReviewGate {
  readonly id: string;
  /** The level in force. */
  readonly level: string;
  readonly title: string;
  /** The gate's own level, where a configuration of the pack changes it. */
  readonly byDefault?: string;
  /** Names of the settings that a configuration of the pack may change. */
  readonly settings?: readonly string[];
}

/** The gates of the pack in `policy/`, in its order. */
export async function packGates(): Promise<readonly ReviewGate[]> {
  const { gates } = await import("../../policy/gates.ts");
  return gates.map(({ id, level, title, config }) => ({
    id,
    level,
    title,
    settings: Object.keys(config?.properties ?? {}),
  }));
}
