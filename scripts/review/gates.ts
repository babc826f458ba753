/** A gate as a review lists it. */
export interface ReviewGate {
  readonly id: string;
  readonly level: string;
  readonly title: string;
}

/** The gates of the pack in `policy/`, in its order. */
export async function packGates(): Promise<readonly ReviewGate[]> {
  const { gates } = await import("../../policy/gates.ts");
  return gates.map(({ id, level, title }) => ({ id, level, title }));
}
