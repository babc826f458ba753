import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";

export interface Created {
  readonly type: string;
  readonly name: string;
  readonly inputs: { readonly [name: string]: unknown };
}

/** Resource types that the program may register; anything else fails its test. */
const KNOWN = [
  "hermes:index:HermesGuest",
  "hermes:index:HermesContainer",
  "proxmoxve:download/file:File",
  "proxmoxve:index/vmLegacy:VmLegacy",
  "command:remote:Command",
  "pulumi-nodejs:dynamic/hermes:GuestHostKey",
  "pulumi-nodejs:dynamic/hermes:MicrovmRecord",
];

/** Runs a program under Pulumi's mocks and gives what it registered. */
export async function registered(program: () => unknown): Promise<Created[]> {
  const created: Created[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource(args) {
        if (!KNOWN.includes(args.type))
          throw new Error(`the program registered a resource of unknown type ${args.type}`);
        created.push({ type: args.type, name: args.name, inputs: args.inputs });
        return { id: `${args.name}-id`, state: { ...args.inputs, ...computed(args) } };
      },
      call: () => ({}),
    },
    "hermes",
    "test",
  );
  await program();
  // Waits until every registration has gone through.
  await pulumi.runtime.disconnect();
  return created;
}

function computed({ type, inputs }: pulumi.runtime.MockResourceArgs): { [name: string]: unknown } {
  if (type.endsWith("VmLegacy")) {
    const disks = (inputs["disks"] as object[]).map((disk) => ({
      pathInDatastore: `vm-${inputs["vmId"]}-disk-0`,
      ...disk,
    }));
    const networkDevices = ((inputs["networkDevices"] ?? []) as object[]).map((device) => ({
      macAddress: "BC:24:11:00:00:01",
      ...device,
    }));
    return { networkDevices, disks };
  }
  if (type.endsWith("GuestHostKey")) return { hostKey: `ssh-ed25519 ${"B".repeat(68)}` };
  if (type.endsWith("Command")) return { stdout: commandOutput(inputs), stderr: "" };
  return {};
}

/** What hermes-guest or hermes-microvm prints for a command. */
function commandOutput(inputs: { [name: string]: unknown }): string {
  const create = String(inputs["create"]);
  const digest = createHash("sha256").update(String(inputs["stdin"])).digest("hex");
  const part = / stage (\S+)$/.exec(create)?.[1];
  if (part !== undefined) return JSON.stringify({ name: part, digest, revision: 1 });
  const file = / stage \S+ (\S+) [0-9a-f]{64}$/.exec(create)?.[1];
  if (file !== undefined) return JSON.stringify({ file, sha256: digest, revision: 1 });
  return JSON.stringify({ version: "0.19.0", image: "x", hostKey: `ssh-ed25519 ${"G".repeat(68)}` });
}

export function findOne(created: readonly Created[], type: string, name: string): Created {
  const found = created.filter((resource) => resource.type === type && resource.name === name);
  const [one] = found;
  if (one === undefined || found.length > 1) {
    const names = created.map((resource) => `${resource.type} ${resource.name}`).join("\n");
    throw new Error(`${found.length} resources ${type} ${name}; registered were:\n${names}`);
  }
  return one;
}
