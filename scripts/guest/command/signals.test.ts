import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Host, hostsOf, SHELLS } from "./machine.ts";
import { isAlive, type Running, until } from "./running.ts";

/** The handlers say a last word, on standard output, and choose a status. No shell: it would speak of its children. */
const TRAPS = `
import signal, time
def trap(name, code):
    def handler(*_):
        os.write(1, f"got {name}\\n".encode())
        os._exit(code)
    signal.signal(getattr(signal, "SIG" + name), handler)
for name, code in dict(HUP=11, INT=12, QUIT=13, TERM=15).items(): trap(name, code)
os.write(1, b"ready\\n")
while True: time.sleep(1)`;
const SIGNALS = [
  ["SIGHUP", 11, 1],
  ["SIGINT", 12, 2],
  ["SIGQUIT", 13, 3],
  ["SIGTERM", 15, 15],
] as const;

describe.concurrent.each(SHELLS)("signals, under $name:", ({ shell }) => {
  const make = hostsOf(shell);
  const ready = async (running: Running): Promise<void> => {
    await until(() => running.stdout.includes("ready"), "the program is ready");
  };
  const nobodyIsLeft = async (host: Host): Promise<void> => {
    await until(() => host.starts.every((pid) => !isAlive(pid)), "the program has ended", 2_000);
    expect(host.starts.length).toBeGreaterThan(0);
  };
  const rootful = (): Host => make().rootful();

  test.each(SIGNALS)("%s reaches the program, whose last word and status count", async (signal, code) => {
    const host = make();
    host.python(TRAPS);
    const running = host.start();
    await ready(running);
    running.kill(signal);
    const { status, stdout, stderr } = await running.result;
    expect([status, stdout.toString(), stderr.toString()]).toEqual([
      code,
      `ready\ngot ${signal.slice(3)}\n`,
      "",
    ]);
    await nobodyIsLeft(host);
    expect([host.attempts.length, host.leftovers]).toEqual([1, []]);
  });

  test.each(SIGNALS)(
    "a program that %s ends leaves no orphan, and the command ends by it, too",
    async (signal, _, number) => {
      const host = make();
      host.program("echo ready; while :; do sleep 0.05; done");
      const running = host.start();
      await ready(running);
      running.kill(signal);
      const { status, signal: by } = await running.result;
      expect(by === signal || status === 128 + number).toBe(true);
      await nobodyIsLeft(host);
    },
  );

  test.each(["podman by sudo", "docker"])("SIGTERM reaches the program with %s", async (way) => {
    const host = way === "docker" ? make({ backend: "docker" }) : rootful();
    host.python(TRAPS);
    const running = host.start();
    await ready(running);
    running.kill("SIGTERM");
    const { status, stdout } = await running.result;
    expect([status, stdout.toString()]).toEqual([15, "ready\ngot TERM\n"]);
    await nobodyIsLeft(host);
  });

  test("a program that takes its time after the signal is waited for, and a second signal reaches it", async () => {
    const host = make();
    host.program(
      "trap 'echo TERM' TERM\ntrap 'echo INT; exit 5' INT\necho ready\nwhile :; do sleep 0.05; done",
    );
    const running = host.start();
    await ready(running);
    running.kill("SIGTERM");
    await until(() => running.stdout.includes("TERM"), "the first signal");
    await delay(100);
    expect(running.child.exitCode).toBe(null);
    running.kill("SIGTERM");
    await until(() => running.stdout.split("TERM").length === 3, "the same again");
    running.kill("SIGINT");
    expect((await running.result).status).toBe(5);
    await nobodyIsLeft(host);
  });

  test("a program that ignores the signal goes on, and so does the command", async () => {
    const host = make();
    host.program("trap '' TERM\necho ready\ncat > /dev/null\nexit 4");
    const running = host.start();
    await ready(running);
    running.kill("SIGTERM");
    await delay(300);
    expect(running.child.exitCode).toBe(null);
    running.end();
    expect((await running.result).status).toBe(4);
  });

  test("what the program has started itself gets the signal, too", async () => {
    const host = make();
    host.program(`sh -c 'echo $$ >> "${host.at("starts")}"; echo ready; exec sleep 30'`);
    const running = host.start();
    await ready(running);
    running.kill("SIGTERM");
    await running.result;
    expect(host.starts).toHaveLength(2);
    await nobodyIsLeft(host);
  });

  test("only this command's program gets it, though another runs beside it", async () => {
    const host = make();
    host.python(TRAPS);
    const [one, two] = [host.start(), host.start()];
    await ready(one);
    await ready(two);
    one.kill("SIGTERM");
    expect((await one.result).status).toBe(15);
    await delay(200);
    expect(two.child.exitCode).toBe(null);
    two.kill("SIGINT");
    expect((await two.result).status).toBe(12);
    await nobodyIsLeft(host);
  });

  test("one that comes before the program has started ends it when it does", async () => {
    const host = make();
    host.tell("slow", "0.6");
    host.program("while :; do sleep 0.05; done");
    const running = host.start();
    await until(() => host.attempts.length === 1, "the runtime's start");
    running.kill("SIGTERM");
    const { status, signal } = await running.result;
    expect(signal === "SIGTERM" || status === 143).toBe(true);
    await delay(800);
    expect(host.starts.filter(isAlive)).toEqual([]);
    expect(host.attempts).toHaveLength(1);
  });

  test("one between the start of the runtime and the next line of the command is not lost, and leaves no orphan", async () => {
    const host = make();
    host.change("job=$!", "kill -s TERM $$; job=$!");
    host.program("while :; do sleep 0.05; done");
    const running = host.start();
    const { status, signal } = await running.result;
    expect(signal === "SIGTERM" || status === 143).toBe(true);
    await delay(800);
    expect(host.starts.filter(isAlive)).toEqual([]);
    expect(host.attempts).toHaveLength(1);
  }, 10_000);

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s ends the waiting for a container at once",
    async (signal) => {
      const host = make({ seconds: 30 });
      host.container("exited");
      const running = host.start();
      await until(() => host.attempts.length > 1, "a second attempt");
      running.kill(signal);
      // An attempt that is under way may hold the pipes a moment longer.
      await until(() => !isAlive(running.pid), "the command has ended", 1_000);
      const result = await running.result;
      expect([result.signal, result.stderr.toString()]).toEqual([signal, ""]);
      const attempts = host.attempts.length;
      await delay(500);
      expect(host.attempts.length - attempts).toBe(0);
    },
  );

  test("one that ends the waiting while an attempt is under way leaves no program behind", async () => {
    const host = make({ seconds: 30 });
    host.program("while :; do sleep 0.05; done");
    host.container("exited");
    const running = host.start();
    await until(() => host.attempts.length > 1, "a second attempt");
    host.tell("slow", "0.5");
    const before = host.attempts.length;
    await until(() => host.attempts.length > before, "a slow attempt");
    host.container("running");
    running.kill("SIGTERM");
    await until(() => !isAlive(running.pid), "the command has ended", 1_000);
    expect((await running.result).signal).toBe("SIGTERM");
    await delay(1_200);
    expect(host.starts.filter(isAlive)).toEqual([]);
  });

  test("one that comes during a first attempt that fails ends the command, without any waiting", async () => {
    const host = make({ seconds: 30 });
    host.container("exited");
    host.tell("slow", "0.5");
    const running = host.start();
    await until(() => host.attempts.length === 1, "the first attempt");
    running.kill("SIGTERM");
    await until(() => !isAlive(running.pid), "the command has ended", 2_000);
    expect((await running.result).signal).toBe("SIGTERM");
  });

  test("the waiting that was interrupted leaves no file", async () => {
    const host = make({ seconds: 30 });
    host.container("exited");
    const running = host.start();
    await until(() => host.attempts.length > 1, "a second attempt");
    running.kill("SIGTERM");
    await running.result;
    await delay(500);
    expect(host.leftovers).toEqual([]);
  });

  test("a status of a signal's number that the program chose itself is a status", async () => {
    const host = make();
    host.program("trap 'exit 143' TERM\necho ready\nwhile :; do sleep 0.05; done");
    const running = host.start();
    await ready(running);
    running.kill("SIGINT");
    await nobodyIsLeft(host);
    await running.result;
    host.program("exit 143");
    expect(await host.run()).toMatchObject({ status: 143, signal: null });
  });
});
