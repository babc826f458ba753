import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { foreground } from "./foreground.ts";
import { startTime } from "./processes.ts";

test("the status is the program's own", async () => {
  expect(await foreground("sh", ["-c", "exit 7"])).toBe(7);
});

test("a program that a signal ended counts as 128 and the signal's number", async () => {
  expect(await foreground("sh", ["-c", "kill -KILL $$"])).toBe(137);
});

test("a program that is missing is named", async () => {
  await expect(foreground("no-such-program", [])).rejects.toThrow("no-such-program could not be started");
});

/** A node that runs `script` in the foreground, and says the child's number first. */
async function started(script: string): Promise<{ node: ChildProcess; child: number }> {
  const text = `import { foreground } from ${JSON.stringify(import.meta.resolve("./foreground.ts"))};
    process.exitCode = await foreground("sh", ["-c", ${JSON.stringify(script)}]);`;
  const node = spawn(process.execPath, ["--input-type=module", "-e", text], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(node.stdout, "data")) as [Buffer];
  return { node, child: Number(said.toString()) };
}

test.each(["SIGTERM", "SIGHUP"] as const)("%s to this process alone ends the program too", async (signal) => {
  const { node, child } = await started("echo $$; exec sleep 60");
  node.kill(signal);
  const [status] = await once(node, "exit");
  expect(status).toBe(signal === "SIGTERM" ? 143 : 129);
  expect(startTime(child)).toBe(undefined);
});

test("Ctrl-C leaves it to the program when to end", async () => {
  const { node } = await started("trap 'exit 9' INT; echo $$; for second in 1 2 3; do sleep 1; done; exit 3");
  node.kill("SIGINT");
  expect((await once(node, "exit"))[0]).toBe(3);
});
