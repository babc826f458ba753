import { connect, createServer, type Socket } from "node:net";

export interface Cut {
  readonly port: number;
  /** Connections that were cut so far. */
  cuts(): number;
  close(): void;
}

/** A way to a port of 127.0.0.1 that breaks each connection off once `bytes` have been sent through it. */
export async function cutAfter(bytes: number, target: number): Promise<Cut> {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const other = connect({ host: "127.0.0.1", port: target });
    const pair = [client, other];
    let sent = 0;
    for (const socket of pair) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        for (const end of pair) end.destroy();
      });
    }
    other.on("data", (data) => client.write(data));
    client.on("data", (data) => {
      if (sent + data.length <= bytes) {
        sent += data.length;
        other.write(data);
        return;
      }
      // What came before the cut arrives; then the line is dead, without a goodbye.
      if (sent < bytes) other.write(data.subarray(0, bytes - sent), () => other.resetAndDestroy());
      else other.resetAndDestroy();
      sent = Number.POSITIVE_INFINITY;
      cuts++;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cuts: () => cuts,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
