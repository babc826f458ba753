import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until an SSH server answers on a port of 127.0.0.1. QEMU takes connections before there is one behind it, so
 * that only the server's first words count. Nobody logs in.
 * @param alive gives false when there is nothing to wait for any more.
 * @returns whether it answered.
 */
export async function sshAnswers(port: number, seconds: number, alive: () => boolean): Promise<boolean> {
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline && alive(); await sleep(500)) {
    if ((await firstWords(port)).startsWith("SSH-")) return true;
  }
  return false;
}

/** What is said within two seconds; empty when nobody listens. */
function firstWords(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (text: string): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(2000, () => end(""));
    socket.once("data", (data: Buffer) => end(data.toString("latin1")));
    socket.once("error", () => end(""));
    socket.once("close", () => end(""));
  });
}
