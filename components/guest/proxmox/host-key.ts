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

/**
 * The provider is serialised into the state: its methods import what they need, and close over nothing but this
 * function. Exported for tests, which cannot wait as long as a deploy can.
 */
export function hostKeyProvider(
  pauseMs = 2000,
  unreachableMs = 30_000,
): pulumi.dynamic.ResourceProvider<State, State> {
  const api = { endpoint: "", token: "", insecure: false };

  /** `retry`: the API answered, and may answer better later. `unreachable`: it did not. `final`: waiting mends nothing. */
  function failure(kind: "retry" | "unreachable" | "final", message: string): Error {
    return Object.assign(new Error(message), { kind });
  }

  async function read(path: string): Promise<string> {
    const { request } = await import("node:https");
    const base = api.endpoint.replace(/\/+$/, "").replace(/\/api2\/json$/, "");
    if (!/^https:\/\/[^/]/.test(base) || !URL.canParse(base)) {
      const found = api.endpoint === "" ? "not set" : JSON.stringify(api.endpoint);
      throw failure(
        "final",
        `proxmoxve:endpoint is ${found}; it must look like https://pve.example.org:8006/`,
      );
    }
    if (!/^[!-~]+$/.test(api.token)) {
      throw failure("final", "proxmoxve:apiToken is not set, or not of the form user@realm!name=secret");
    }
    const { host } = new URL(base);
    return new Promise((resolve, reject) => {
      const call = request(
        `${base}/api2/json${path}`,
        {
          headers: { Authorization: `PVEAPIToken=${api.token}` },
          rejectUnauthorized: !api.insecure,
          // A connection of its own: one kept from the last attempt may have been closed by the API since.
          agent: false,
          timeout: 30_000,
        },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            body += chunk;
          });
          response.on("error", (error) => reject(failure("unreachable", `${host}: ${error.message}`)));
          response.on("end", () => {
            if (response.statusCode === 200) return resolve(body);
            const reason = response.statusMessage ?? "";
            const answer = `${response.statusCode} ${reason} ${body.slice(0, 200)}`.trim();
            if (response.statusCode !== 401 && response.statusCode !== 403) {
              return reject(failure("retry", answer));
            }
            reject(
              failure(
                "final",
                `the Proxmox API at ${host} refused: ${answer}. Check the token in proxmoxve:apiToken ` +
                  "(user@realm!name=secret) and that it may use VM.GuestAgent.FileRead (VM.Monitor on Proxmox VE 8) on the VM",
              ),
            );
          });
        },
      );
      call.on("timeout", () => call.destroy(new Error("no answer within 30 s")));
      call.on("error", (error: NodeJS.ErrnoException) => {
        const { code = "", message } = error;
        // Node's names for what is wrong with a certificate: DEPTH_ZERO_SELF_SIGNED_CERT, CERT_HAS_EXPIRED,
        // UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_TLS_CERT_ALTNAME_INVALID and the like.
        if (!/CERT|UNABLE_TO|SELF_SIGNED/.test(code)) {
          // A connection that was tried on several addresses has no message of its own.
          return reject(failure("unreachable", `${host}: ${message || code}`));
        }
        reject(
          failure(
            "final",
            `the certificate of the Proxmox API at ${host} is not trusted (${code}). Trust the cluster's CA: copy a node's ` +
              "/etc/pve/pve-root-ca.pem here and set NODE_EXTRA_CA_CERTS to its path; or set proxmoxve:insecure to true, " +
              "if nobody else can answer for that address",
          ),
        );
      });
      call.end();
    });
  }

  /** The key in an answer, without its comment: an Ed25519 key is 51 bytes that begin with its own name. */
  function keyOf(answer: string): string {
    let text: unknown;
    try {
      const { data }: { data: { content?: unknown; result: { content?: unknown } } } = JSON.parse(answer);
      text = data.content ?? data.result.content;
    } catch {
      throw failure("retry", `${JSON.stringify(answer.slice(0, 80))}, which holds no file`);
    }
    const found = typeof text === "string" ? text : "";
    const key = /^(ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43})(\s|$)/.exec(found)?.[1];
    if (key !== undefined) return key;
    throw failure("retry", `the file held ${JSON.stringify(found.slice(0, 80))}, not an Ed25519 public key`);
  }

  async function hostKey(inputs: State, seconds: number): Promise<string> {
    const file = "/etc/ssh/ssh_host_ed25519_key.pub";
    const node = encodeURIComponent(inputs.nodeName);
    const path = `/nodes/${node}/qemu/${inputs.vmId}/agent/file-read?file=${encodeURIComponent(file)}`;
    const what = `the host key of VM ${inputs.vmId} on ${inputs.nodeName} cannot be read`;
    const next =
      "or read the key on the VM's console and set hermes:guest.hostKey. Then run `pulumi up` again.";
    const deadline = Date.now() + seconds * 1000;
    let answered = Date.now();
    for (;;) {
      let last: { kind?: string; message: string };
      try {
        return keyOf(await read(path));
      } catch (error) {
        last = error instanceof Error ? error : { message: String(error) };
      }
      if (last.kind === "retry") answered = Date.now();
      else if (last.kind !== "unreachable") throw new Error(`${what}: ${last.message}; ${next}`);
      // The VM was made through the same API a moment ago: a longer silence is not its first boot.
      else if (Date.now() - answered >= unreachableMs || Date.now() >= deadline) {
        throw new Error(
          `${what}: the Proxmox API did not answer for ${Math.round((Date.now() - answered) / 1000)} s (${last.message}). ` +
            `Check proxmoxve:endpoint and that the node is up; ${next}`,
        );
      }
      if (Date.now() >= deadline) {
        throw new Error(
          `${what}: its guest agent did not hand over ${file} within ${seconds} s; last answer: ${last.message}. ` +
            "Check that the VM booted (its console in Proxmox) and that its vendor data installs qemu-guest-agent " +
            `(scripts/guest/vendor-data.yaml); ${next}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  return {
    async configure(req) {
      const setting = (key: string, variable: string) =>
        req.config.get(`proxmoxve:${key}`) ?? process.env[variable] ?? "";
      api.endpoint = setting("endpoint", "PROXMOX_VE_ENDPOINT");
      api.token = setting("apiToken", "PROXMOX_VE_API_TOKEN").trim();
      api.insecure = /^(1|true)$/i.test(setting("insecure", "PROXMOX_VE_INSECURE"));
    },
    async diff(_id, olds, news) {
      const replaces = (["nodeName", "vmId"] as const).filter((key) => olds[key] !== news[key]);
      return { changes: replaces.length > 0 || olds.incarnation !== news.incarnation, replaces };
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
