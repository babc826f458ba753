/** Ports of 127.0.0.1 that nobody listens on. */
import { createServer } from "node:net";

export const isFree = async (port: number): Promise<boolean> => (await listen(port)) !== undefined;

/** The wanted port when it is free, else one that the system gives; never one of `except`. */
export async function freePort(wanted = 0, except: readonly number[] = []): Promise<number> {
  for (const candidate of [wanted, ...Array<number>(20).fill(0)]) {
    const port = await listen(candidate);
    if (port !== undefined && !except.includes(port)) return port;
  }
  throw new Error("The system gives no free port on 127.0.0.1: see what listens with `ss -ltn`.");
}

/** Listens for a moment. Undefined when that is not possible. */
function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : undefined));
    });
  });
}
