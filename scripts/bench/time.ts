import { performance } from "node:perf_hooks";

/** Seconds that `run` takes, `runs` times, least first. */
export function seconds(runs: number, run: () => void): number[] {
  return Array.from({ length: runs }, () => {
    const started = performance.now();
    run();
    return (performance.now() - started) / 1000;
  }).toSorted((a, b) => a - b);
}

export const median = (sorted: readonly number[]): number =>
  sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;

/** "1.23 (1.20 to 1.31)": the median, the least and the most. */
export const range = (sorted: readonly number[]): string =>
  `${median(sorted).toFixed(2)} (${(sorted[0] ?? Number.NaN).toFixed(2)} to ${(sorted.at(-1) ?? Number.NaN).toFixed(2)})`;
