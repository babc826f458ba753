import * as pulumi from "@pulumi/pulumi";

export interface GuestHostKeyArgs {
  /** Cluster node that the VM is on. */
  readonly nodeName: pulumi.Input<string>;
  readonly vmId: pulumi.Input<number>;
  /** Changes when the VM was made anew; the key is then read again. */
  readonly incarnation: pulumi.Input<string>;
  /** Seconds to wait for the guest agent; it is installed at the first boot. Default: 900. */
  readonly timeoutSeconds?: pulumi.Input<number>;
}

interface State {
  nodeName: string;
  vmId: number;
  incarnation: string;
  timeoutSeconds: number;
  hostKey: string;
}

/**
 * The guest's SSH host key, read from the guest by its agent through the Proxmox API. It comes over the API's
 * authenticated connection, so nothing is trusted on first use. The key's file is world-readable in the guest.
 *
 * Needs `VM.GuestAgent.FileRead` on the VM (Proxmox VE 9; `VM.Monitor` on 8). The API's endpoint and token come
 * from the provider's configuration, never from inputs.
 */
export class GuestHostKey extends pulumi.dynamic.Resource {
  declare readonly hostKey: pulumi.Output<string>;

  constructor(name: string, args: GuestHostKeyArgs, options?: pulumi.CustomResourceOptions) {
    const inputs = { timeoutSeconds: 900, ...args, hostKey: undefined };
    super(hostKeyProvider(), name, inputs, options, "hermes", "GuestHostKey");
  }
}

/** The provider is serialised into the state: its methods import what they need, and close over nothing but this function. */
function hostKeyProvider(): pulumi.dynamic.ResourceProvider<State, State> {
  const api = { endpoint: "", token: "", insecure: false };

  async function read(path: string): Promise<string> {
    const { request } = await import("node:https");
    return new Promise((resolve, reject) => {
      const url = new URL(
        `${api.endpoint.replace(/\/+$/, "").replace(/\/api2\/json$/, "")}/api2/json${path}`,
      );
      const call = request(
        url,
        {
          headers: { Authorization: `PVEAPIToken=${api.token}` },
          rejectUnauthorized: !api.insecure,
          timeout: 30_000,
        },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            body += chunk;
          });
          response.on("end", () => {
            if (response.statusCode === 200) return resolve(body);
            const reason = response.statusMessage ?? "";
            const failure = new Error(`${response.statusCode} ${reason} ${body.slice(0, 200)}`.trim());
            reject(Object.assign(failure, { final: [401, 403].includes(response.statusCode ?? 0) }));
          });
        },
      );
      call.on("timeout", () => call.destroy(new Error("no answer within 30 s")));
      call.on("error", reject);
      call.end();
    });
  }

  async function hostKey(inputs: State, seconds: number): Promise<string> {
    const file = "/etc/ssh/ssh_host_ed25519_key.pub";
    const node = encodeURIComponent(inputs.nodeName);
    const path = `/nodes/${node}/qemu/${inputs.vmId}/agent/file-read?file=${encodeURIComponent(file)}`;
    const deadline = Date.now() + seconds * 1000;
    let last = "";
    do {
      try {
        const answer: { data?: { content?: string; result?: { content?: string } } } = JSON.parse(
          await read(path),
        );
        const text = answer.data?.content ?? answer.data?.result?.content ?? "";
        const key = /^(ssh-ed25519 [A-Za-z0-9+/]{60,}={0,2})(\s|$)/.exec(text)?.[1];
        if (key !== undefined) return key;
        last = `the file held ${JSON.stringify(text.slice(0, 80))}, not a public key`;
      } catch (error) {
        last = error instanceof Error ? error.message : String(error);
        if (error instanceof Error && "final" in error && error.final === true) break;
      }
      await new Promise((resolve) => setTimeout(resolve, 2000));
    } while (Date.now() < deadline);
    throw new Error(
      `the guest agent of VM ${inputs.vmId} on ${inputs.nodeName} did not hand over ${file} within ${seconds} s; ` +
        `last answer: ${last}. Check that the VM booted (its console in Proxmox), that its vendor data installs ` +
        "qemu-guest-agent (scripts/guest/vendor-data.yaml) and that the API token may use VM.GuestAgent.FileRead; " +
        "or read the key on the console and set hermes:guest.hostKey. Then run `pulumi up` again.",
    );
  }

  return {
    async configure(req) {
      const setting = (key: string, variable: string) =>
        req.config.get(`proxmoxve:${key}`) ?? process.env[variable] ?? "";
      api.endpoint = setting("endpoint", "PROXMOX_VE_ENDPOINT");
      api.token = setting("apiToken", "PROXMOX_VE_API_TOKEN");
      api.insecure = /^(1|true)$/i.test(setting("insecure", "PROXMOX_VE_INSECURE"));
    },
    async diff(_id, olds, news) {
      const changes = (["nodeName", "vmId", "incarnation"] as const).some((key) => olds[key] !== news[key]);
      return { changes };
    },
    async create(inputs) {
      const key = await hostKey(inputs, inputs.timeoutSeconds);
      return { id: `${inputs.nodeName}/${inputs.vmId}`, outs: { ...inputs, hostKey: key } };
    },
    async update(_id, _olds, news) {
      return { outs: { ...news, hostKey: await hostKey(news, news.timeoutSeconds) } };
    },
    async read(id, props) {
      if (props === undefined) return { id };
      // A guest that does not answer a refresh has not changed its key: the pinned one stays.
      const key = await hostKey(props, 0).catch(() => props.hostKey);
      return { id, props: { ...props, hostKey: key } };
    },
  };
}
