import { connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { cutAfter } from "./cut.ts";

/** Sends a text through a way that breaks off after ten bytes. @returns what arrived and what came back. */
async function send(text: string): Promise<{ arrived: string; back: string; cuts: number }> {
  let arrived = "";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      arrived += data;
      socket.write(`${arrived.length};`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const way = await cutAfter(10, typeof address === "object" && address !== null ? address.port : 0);
  onTestFinished(() => {
    way.close();
    server.close();
  });
  let back = "";
  await new Promise<void>((resolve) => {
    const client = connect({ host: "127.0.0.1", port: way.port });
    client.on("data", (data: Buffer) => {
      back += data;
      if (text.length <= 10) client.end();
    });
    client.on("error", () => {});
    client.on("close", () => resolve());
    client.write(text);
  });
  return { arrived, back, cuts: way.cuts() };
}

test("a short talk goes through, both ways", async () => {
  expect(await send("0123456789")).toEqual({ arrived: "0123456789", back: "10;", cuts: 0 });
});

test("a long one is cut in the middle: the beginning arrives, the rest never", async () => {
  const { arrived, cuts } = await send("0123456789abcdef");
  expect("0123456789".startsWith(arrived)).toBe(true);
  expect(cuts).toBe(1);
});
