// Computed when the module loads, in whichever gate loads it first.
const TAKEN: readonly string[] = ["localhost", "gateway"];

/** No case of a gate holds the limit of its length. */
export const isUnfit = (name: string): boolean => TAKEN.includes(name) || name.length > 63;
