import { createServer, type Server, type Socket } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../ports.ts";
import { sshAnswers } from "./banner.ts";

async function serving<T>(greet: (socket: Socket) => void, use: (port: number) => Promise<T>): Promise<T> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    return await use(typeof address === "object" && address !== null ? address.port : 0);
  } finally {
    server.close();
  }
}

test("a server that says its name answers", async () => {
  const answered = await serving(
    (socket) => socket.write("SSH-2.0-some\r\n"),
    (port) => sshAnswers(port, 10, () => true),
  );
  expect(answered).toBe(true);
});

test("a port that takes the connection and drops it is waited for", async () => {
  let connections = 0;
  const answered = await serving(
    (socket) => (++connections < 3 ? socket.destroy() : socket.write("SSH-2.0-some\r\n")),
    (port) => sshAnswers(port, 10, () => true),
  );
  expect(answered).toBe(true);
  expect(connections).toBe(3);
});

test("there is no waiting for a machine that has ended, nor for ever", async () => {
  const port = await freePort();
  const started = Date.now();
  expect(await sshAnswers(port, 60, () => false)).toBe(false);
  expect(await sshAnswers(port, 1, () => true)).toBe(false);
  expect(Date.now() - started).toBeLessThan(5000);
});
