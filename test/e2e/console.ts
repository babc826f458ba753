import { beforeEach } from "vitest";
import type { Lab } from "../lab/lab.ts";
import { lastLines } from "../lab/last-lines.ts";

const LINES = 40;

/** From now on a test that fails also shows what the lab's machine printed last: its files go with the lab. */
export function showConsoleOfFailures(lab: () => Lab | undefined): void {
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      const file = lab()?.site.console;
      if (file !== undefined) console.error(`The last lines of ${file}:\n${lastLines(file, LINES)}`);
    });
  });
}
