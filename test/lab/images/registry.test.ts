import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../ports.ts";
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

  it("does not take another program's answer on its port for its own", async () => {
    mkdirSync(join(folder, "bin"));
    writeFileSync(
      join(folder, "bin", "docker-registry"),
      `#!${process.execPath}
const { addr } = JSON.parse(require("node:fs").readFileSync(process.argv[3], "utf8")).http;
require("node:http").createServer((_, response) => response.end()).listen(Number(addr.split(":")[1]), "127.0.0.1");
setTimeout(() => process.exit(1), 1000);
`,
      { mode: 0o755 },
    );
    vi.stubEnv("PATH", `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`);
    const files = { pidFile: join(folder, "pid"), logFile: join(folder, "log") };
    try {
      const started = serve({ folder, port: await freePort(), ...files, readOnly: true });
      await expect(started).rejects.toThrow("docker-registry ended at once (1)");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
