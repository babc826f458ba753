// For tests: as much of a Proxmox VE API as these plugins ask for, strict about what it is asked.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

type Vm = { config: { [key: string]: string }; running: boolean };
type Answer = { status?: number; message?: string; data?: unknown; errors?: { [name: string]: string } };

const PARAMETERS =
  /^(acpi|agent|args|balloon|bios|boot|cicustom|cipassword|ciupgrade|ciuser|citype|cores|cpu|cpulimit|cpuunits|vcpus|affinity|delete|description|hotplug|ipconfig\d|keyboard|machine|memory|name|nameserver|net\d|numa|onboot|ostype|protection|scsi\d|virtio\d|ide\d|scsihw|searchdomain|serial\d|sockets|sshkeys|startup|tablet|tags|vga|vmid)$/;

export class PveStub {
  readonly vms = new Map<number, Vm>();
  readonly files = new Map<string, number>();
  /** `PUT /nodes/… name=value&…`, without the reads. */
  writes: string[] = [];
  reads = 0;
  token = "root@pam!test=1-2-3";
  addresses: string[] = ["10.32.21.110"];
  /** The next request whose line matches gets this instead. */
  failNext: { readonly line: RegExp; readonly answer: Answer } | undefined;
  urlSize = 1000;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<PveStub> {
    const server = createServer();
    const stub = new PveStub(server);
    server.on("request", async (request: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = stub.#answer(request, Buffer.concat(chunks).toString());
      response.writeHead(answer.status ?? 200, answer.message ?? "OK", {
        "Content-Type": "application/json",
      });
      response.end(
        JSON.stringify({ data: answer.data ?? null, ...(answer.errors ? { errors: answer.errors } : {}) }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return stub;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, body: string): Answer {
    const [path = "", query = ""] = (request.url ?? "").replace(/^\/api2\/json/, "").split("?");
    const method = request.method ?? "";
    const form = new URLSearchParams(method === "GET" || method === "DELETE" ? query : body);
    const params = Object.fromEntries(form);
    const text = Object.entries(params)
      .map(([name, value]) => `${name}=${value}`)
      .join("&");
    const line = `${method} ${path}${text === "" ? "" : ` ${text}`}`;
    if (request.headers.authorization !== `PVEAPIToken=${this.token}`)
      return { status: 401, message: "no such token" };
    if (method === "GET") this.reads += 1;
    else this.writes.push(line);
    const { failNext } = this;
    if (failNext?.line.test(line) === true) {
      this.failNext = undefined;
      return failNext.answer;
    }
    if (path === "/cluster/nextid") return { data: "100" };
    if (path === "/cluster/resources") {
      return { data: [...this.vms.keys()].map((vmid) => ({ type: "qemu", vmid, node: "pve" })) };
    }
    if (/^\/nodes\/pve\/tasks\/.*\/status$/.test(path)) {
      return {
        data: {
          status: "stopped",
          exitstatus: decodeURIComponent(path).includes("bad") ? "disk full" : "OK",
        },
      };
    }
    if (/^\/nodes\/pve\/tasks\/.*\/log$/.test(path))
      return { data: [{ n: 1, t: "no space left on device" }] };
    if (path === "/nodes/pve/qemu" && method === "POST") return this.#create(params);
    const [, id, rest = ""] = /^\/nodes\/pve\/qemu\/(\d+)(\/.*)?$/.exec(path) ?? [];
    if (id !== undefined) return this.#vm(method, Number(id), rest, params);
    if (path.startsWith("/nodes/pve/query-url-metadata"))
      return { data: { filename: "a.qcow2", size: this.urlSize } };
    if (path.includes("/storage/")) return this.#storage(method, decodeURIComponent(path), params);
    return { status: 595, message: "no route to host" };
  }

  #create({ vmid = "", ...params }: { [name: string]: string }): Answer {
    if (this.vms.has(Number(vmid))) {
      return { status: 500, message: `unable to create VM ${vmid}: VM ${vmid} already exists on node 'pve'` };
    }
    const config: { [key: string]: string } = {};
    const vm = { config, running: false };
    const refused = this.#set(Number(vmid), vm, params);
    if (refused !== undefined) return refused;
    this.vms.set(Number(vmid), vm);
    return { data: task("qmcreate") };
  }

  #set(vmid: number, vm: Vm, params: { [name: string]: string }): Answer | undefined {
    const unknown = Object.keys(params).find((name) => !PARAMETERS.test(name));
    if (unknown !== undefined) {
      return {
        status: 400,
        message: "Parameter verification failed.",
        errors: { [unknown]: "property is not defined in schema" },
      };
    }
    for (const [name, value] of Object.entries(params)) {
      if (name === "delete") for (const key of value.split(",")) delete vm.config[key];
      else vm.config[name] = stored(vmid, name, value, vm.config[name]);
    }
    return undefined;
  }

  #vm(method: string, vmid: number, rest: string, params: { [name: string]: string }): Answer {
    const vm = this.vms.get(vmid);
    const missing = `Configuration file 'nodes/pve/qemu-server/${vmid}.conf' does not exist`;
    if (vm === undefined) return { status: 500, message: missing };
    switch (`${method} ${rest}`) {
      case "GET /config":
        return { data: vm.config };
      case "PUT /config":
        return this.#set(vmid, vm, params) ?? {};
      case "PUT /cloudinit":
        return {};
      case "GET /status/current":
        return { data: { status: vm.running ? "running" : "stopped" } };
      case "POST /status/start":
      case "POST /status/stop":
      case "POST /status/shutdown":
        vm.running = rest.endsWith("start");
        return { data: task("qm") };
      case "PUT /resize": {
        const disk = params["disk"] ?? "";
        vm.config[disk] = (vm.config[disk] ?? "").replace(
          /,size=\w+|$/,
          `,size=${Number(params["size"]) / 2 ** 30}G`,
        );
        return { data: task("resize") };
      }
      case "GET /agent/network-get-interfaces":
        if (this.addresses.length === 0) return { status: 500, message: "QEMU guest agent is not running" };
        return {
          data: {
            result: [
              loopback(),
              {
                name: "eth0",
                "hardware-address": "bc:24:11:00:00:01",
                "ip-addresses": this.addresses.map(ipv4),
              },
            ],
          },
        };
      case "DELETE /":
        if (vm.config["protection"] === "1") {
          return { status: 500, message: `can't remove VM ${vmid} - protection mode enabled` };
        }
        this.vms.delete(vmid);
        return { data: task("qmdestroy") };
      default:
        return { status: 501, message: `Method '${method} ${rest}' not implemented` };
    }
  }

  #storage(method: string, path: string, params: { [name: string]: string }): Answer {
    const [, storage = "", rest = ""] = /\/storage\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (method === "POST" && rest === "download-url") {
      const id = `${storage}:${params["content"]}/${params["filename"]}`;
      if (this.files.has(id))
        return { status: 500, message: `refusing to override existing file '${params["filename"]}'` };
      this.files.set(id, this.urlSize);
      return { data: task("download") };
    }
    if (method === "GET" && rest === "content") {
      return { data: [...this.files].map(([volid, size]) => ({ volid, size, content: params["content"] })) };
    }
    const volume = rest.replace(/^content\//, "");
    if (method === "GET") return { data: { format: "raw", path: `/dev/${volume}` } };
    if (method === "DELETE" && this.files.delete(volume)) return { data: task("imgdel") };
    return { status: 500, message: `no such volume '${volume}'` };
  }
}

let serial = 0;
function task(kind: string): string {
  serial += 1;
  return `UPID:pve:0000${serial}:0:0:${kind}:210:root@pam:`;
}

function ipv4(address: string) {
  return { "ip-address": address, "ip-address-type": "ipv4", prefix: 24 };
}

function loopback() {
  return { name: "lo", "hardware-address": "00:00:00:00:00:00", "ip-addresses": [ipv4("127.0.0.1")] };
}

/** What PVE makes of a parameter: allocates volumes, fills in MAC addresses. */
function stored(vmid: number, name: string, value: string, before: string | undefined): string {
  if (/^net\d/.test(name)) {
    const [, mac = "BC:24:11:AA:BB:CC"] = /macaddr=([^,]+)/.exec(value) ?? [];
    const [, model = ""] = /model=([^,]+)/.exec(value) ?? [];
    const rest = value.split(",").filter((part) => !/^(model|macaddr)=/.test(part));
    return [`${model}=${mac}`, ...rest].join(",");
  }
  if (/^(scsi|virtio|ide)\d/.test(name)) {
    const [file = "", ...options] = value
      .replace(/^file=/, "")
      .split(",")
      .filter((part) => !/^(import-from|format)=/.test(part));
    const [storage = "", volume = ""] = file.split(":");
    if (volume === "cloudinit") return `${storage}:vm-${vmid}-cloudinit,media=cdrom`;
    if (!/^\d+$/.test(volume)) {
      const size = /size=\w+/.exec(before ?? "")?.[0];
      return [file, ...options.map(inGibibytes), ...(size === undefined ? [] : [size])].join(",");
    }
    const others = options.filter((option) => !option.startsWith("size="));
    return [
      `${storage}:vm-${vmid}-disk-${name.slice(-1)}`,
      ...others,
      `size=${volume === "0" ? 2 : volume}G`,
    ].join(",");
  }
  return value;
}

function inGibibytes(option: string): string {
  const [, bytes] = /^size=(\d+)$/.exec(option) ?? [];
  return bytes === undefined ? option : `size=${Number(bytes) / 2 ** 30}G`;
}
