// The Proxmox VE API over HTTPS with a token. Nothing else: no tickets, no SSH, no redirects.

import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import type { Values } from "../base/values.ts";

export type Params = { readonly [name: string]: string };
export type Method = "GET" | "POST" | "PUT" | "DELETE";
const REQUEST_TIMEOUT = 120_000;

export class PveError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
  /** PVE says 500, not 404, of a guest whose configuration file is not there. */
  get isMissing(): boolean {
    return this.status === 404 || /does not exist|no such (vm|volume|file)/i.test(this.message);
  }
}

export class Pve {
  readonly #endpoint: URL;
  readonly #token: string;
  readonly #insecure: boolean;
  readonly #signal: AbortSignal;

  constructor(config: Values, signal: AbortSignal) {
    this.#endpoint = endpointOf(config["endpoint"] ?? process.env["PROXMOX_VE_ENDPOINT"]);
    this.#token = tokenOf(config["apiToken"] ?? process.env["PROXMOX_VE_API_TOKEN"]);
    const insecure = config["insecure"] ?? ["1", "true"].includes(process.env["PROXMOX_VE_INSECURE"] ?? "");
    this.#insecure = insecure === true;
    this.#signal = signal;
  }

  /** The `data` of the answer. The path begins with `/nodes` or the like. */
  async request(method: Method, path: string, params: Params = {}): Promise<unknown> {
    this.#signal.throwIfAborted();
    const form = new URLSearchParams(params).toString();
    const inQuery = method === "GET" || method === "DELETE";
    const query = inQuery && form !== "" ? `${path.includes("?") ? "&" : "?"}${form}` : "";
    const { response, text } = await this.#send(
      method,
      path,
      `/api2/json${path}${query}`,
      inQuery ? "" : form,
    );
    const status = response.statusCode ?? 0;
    const body = parse(text);
    if (status >= 200 && status < 300) return body["data"];
    const said = saidBy(response, body, text);
    throw new PveError(
      status,
      `PVE answered ${status} to ${method} ${path}: ${said}${nextStep(status, said, path)}`,
    );
  }

  /** Waits for a task, if the answer names one; its log is the error message. */
  async task(answer: unknown, warn: (message: string) => void = () => undefined): Promise<void> {
    if (typeof answer !== "string" || !answer.startsWith("UPID:")) return;
    const base = `/nodes/${answer.split(":")[1]}/tasks/${encodeURIComponent(answer)}`;
    for (let delay = 100; ; delay = Math.min(delay * 1.5, 1000)) {
      const state = (await this.#taskStatus(base)) as { status?: string; exitstatus?: string } | undefined;
      if (state?.status === "stopped") {
        const result = state.exitstatus ?? "";
        if (result === "OK") return;
        const log = ((await this.request("GET", `${base}/log`).catch(() => [])) ?? []) as { t?: string }[];
        const lines = log.map(({ t = "" }) => `\n  ${t}`).join("");
        if (/^WARNINGS: /.test(result)) return warn(`PVE task ${answer} ended with ${result}${lines}`);
        throw new PveError(0, `PVE task ${answer} failed: ${result}${nextStep(0, result, base)}${lines}`);
      }
      await wait(delay, undefined, { signal: this.#signal });
    }
  }

  /** A task is not always there at once (400), and a busy node says 599: both pass. */
  async #taskStatus(base: string): Promise<unknown> {
    try {
      return await this.request("GET", `${base}/status`);
    } catch (error) {
      if (error instanceof PveError && (error.status === 400 || error.status === 599)) return undefined;
      throw error;
    }
  }

  #send(
    method: Method,
    path: string,
    target: string,
    form: string,
  ): Promise<{ response: IncomingMessage; text: string }> {
    const secure = this.#endpoint.protocol === "https:";
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => reject(this.#unreachable(error, method, path));
      const request = (secure ? https : http).request(new URL(target, this.#endpoint), {
        method,
        headers: {
          Accept: "application/json",
          Authorization: `PVEAPIToken=${this.#token}`,
          ...(form === "" ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
          ...(method === "GET" || method === "DELETE" ? {} : { "Content-Length": Buffer.byteLength(form) }),
        },
        rejectUnauthorized: !this.#insecure,
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_TIMEOUT)]),
      });
      request.once("error", fail);
      request.once("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).once("error", fail);
        response.once("end", () => resolve({ response, text: Buffer.concat(chunks).toString() }));
      });
      request.end(form);
    });
  }

  #unreachable(error: NodeJS.ErrnoException, method: Method, path: string): Error {
    if (this.#signal.aborted) return new Error(String(this.#signal.reason));
    const { origin } = this.#endpoint;
    const code = error.code ?? error.name;
    const help: { [code: string]: string } = {
      ECONNREFUSED: "Nothing listens there: is proxmoxve:endpoint right, and does pveproxy run?",
      ENOTFOUND: "The name does not resolve: is proxmoxve:endpoint right?",
      TimeoutError: `No answer within ${REQUEST_TIMEOUT / 1000} s: is the node up, and does no firewall drop this?`,
    };
    const tls = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)
      ? "Trust the cluster's CA (/etc/pve/pve-root-ca.pem, in NODE_EXTRA_CA_CERTS), or set proxmoxve:insecure to true."
      : "";
    const next = help[code] ?? tls;
    return new Error(
      `cannot reach the Proxmox VE API for ${method} ${path} at ${origin}: ${error.message || code}. ${next}`.trim(),
    );
  }
}

function parse(text: string): { [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as { [key: string]: unknown }) : {};
  } catch {
    return {};
  }
}

/** PVE puts its message into the status line, and what is wrong with parameters into the body. */
function saidBy(response: IncomingMessage, body: { [key: string]: unknown }, text: string): string {
  const errors = Object.entries((body["errors"] ?? {}) as { [name: string]: unknown });
  const details = errors.map(([name, problem]) => `${name}: ${String(problem).trim()}`).join("; ");
  const message = [response.statusMessage, body["message"], details].filter(Boolean).map(String);
  const parts = [...new Set(message.map((part) => part.trim()))];
  return parts.join(" — ") || text.slice(0, 200) || "no message";
}

function nextStep(status: number, said: string, path: string): string {
  const vm = /already exists/.test(said)
    ? /\/nodes\/([^/]+)\/qemu|UPID:([^:]+):/.exec(decodeURIComponent(path))
    : null;
  if (vm !== null) {
    const node = vm[1] ?? vm[2];
    const command = `pulumi import proxmoxve:index/vmLegacy:VmLegacy NAME ${node}/VMID`;
    return `. Another guest has this VMID: choose a free one, or adopt the guest with \`${command}\``;
  }
  if (/refusing to override existing file/.test(said))
    return ". Delete the file, name another, or set overwriteUnmanaged";
  if (/protection mode/.test(said))
    return ". Set protection to false, deploy, and destroy again if you mean it";
  if (status === 401) return ". Check proxmoxve:apiToken: `user@realm!name=uuid`, not expired, user enabled";
  if (status === 403)
    return ". The token lacks a privilege: grant it to user AND token, or switch privilege separation off";
  if (status === 595) return ". The API cannot reach that node: is nodeName right, and is the node online?";
  if (status >= 300 && status < 400)
    return ". Redirects are not followed: set proxmoxve:endpoint to where it leads";
  return "";
}

function endpointOf(given: unknown): URL {
  const example =
    "want a URL such as https://pve.example:8006, from proxmoxve:endpoint or PROXMOX_VE_ENDPOINT";
  if (typeof given !== "string" || given === "") throw new Error(`proxmoxve has no endpoint: ${example}`);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const plain =
    url !== undefined && /^https?:$/.test(url.protocol) && /^\/(api2\/json\/?)?$/.test(url.pathname);
  if (url === undefined || !plain) throw new Error(`proxmoxve:endpoint is ${given}: ${example}`);
  return url;
}

function tokenOf(given: unknown): string {
  if (typeof given === "string" && /^[^\s@]+@[^\s!]+![^\s=]+=\S+$/.test(given)) return given;
  const found = given === undefined ? "is not set" : "does not look like one";
  throw new Error(
    `proxmoxve:apiToken ${found}: want \`user@realm!name=uuid\`, from proxmoxve:apiToken or PROXMOX_VE_API_TOKEN; ` +
      "this stand-in knows no other way to log in",
  );
}
