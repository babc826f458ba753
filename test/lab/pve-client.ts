import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

/** The lab's Proxmox API, as a person with a token would call it. */
export class PveClient {
  readonly #endpoint: string;
  readonly #token: string;

  constructor(endpoint: string, token: string) {
    this.#endpoint = endpoint;
    this.#token = token;
  }

  /** @throws Error with the status and Proxmox's own message. */
  async call(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: Record<string, unknown>,
  ): Promise<unknown> {
    const text = body === undefined ? "" : JSON.stringify(body);
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const call = request(
        `${this.#endpoint}/api2/json${path}`,
        {
          method,
          // The lab's certificate is its own, and the connection never leaves this machine.
          rejectUnauthorized: false,
          headers: {
            Authorization: `PVEAPIToken=${this.#token}`,
            ...(text === ""
              ? {}
              : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
          },
          timeout: 60_000,
        },
        (response) => {
          let data = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            data += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: data }));
        },
      );
      call.on("timeout", () => call.destroy(new Error(`${method} ${path}: no answer within 60 s`)));
      call.on("error", reject);
      call.end(text);
    });
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 300)}`);
    return (JSON.parse(answer.body) as { data: unknown }).data;
  }

  /** Runs a command in a guest through its agent: no SSH, no network. */
  async exec(
    vm: string,
    command: readonly string[],
    seconds = 60,
  ): Promise<{ code: number; out: string; err: string }> {
    const { pid } = (await this.call("POST", `${vm}/agent/exec`, { command })) as { pid: number };
    const deadline = Date.now() + seconds * 1000;
    while (Date.now() < deadline) {
      const status = (await this.call("GET", `${vm}/agent/exec-status?pid=${pid}`)) as {
        exited: boolean | number;
        exitcode?: number;
        "out-data"?: string;
        "err-data"?: string;
      };
      if (status.exited) {
        return { code: status.exitcode ?? -1, out: status["out-data"] ?? "", err: status["err-data"] ?? "" };
      }
      await sleep(300);
    }
    throw new Error(`${command.join(" ")} did not end in the guest within ${seconds} s`);
  }

  /** Waits for a task, as `UPID:…` names it. @throws Error when it did not end with OK. */
  async task(node: string, upid: unknown, seconds = 120): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while (Date.now() < deadline) {
      const path = `/nodes/${node}/tasks/${encodeURIComponent(String(upid))}/status`;
      const status = (await this.call("GET", path)) as { status: string; exitstatus?: string };
      if (status.status === "stopped") {
        if (status.exitstatus === "OK") return;
        throw new Error(`task ${upid}: ${status.exitstatus}`);
      }
      await sleep(300);
    }
    throw new Error(`task ${upid} did not end within ${seconds} s`);
  }
}
