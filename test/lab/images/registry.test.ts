import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { serve } from "./registry.ts";

const folder = mkdtempSync(join(tmpdir(), "registry-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the lab's registry", () => {
  it("names a port that is taken, and how to find who has it", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const files = { pidFile: join(folder, "pid"), logFile: join(folder, "log") };
    await expect(serve({ folder, port, ...files, readOnly: true })).rejects.toThrow(
      new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken.*sport = :${port}`),
    );
    other.close();
  });
});
