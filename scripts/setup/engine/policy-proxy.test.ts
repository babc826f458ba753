import { promisify } from "node:util";
import grpc, { type UntypedServiceImplementation } from "@grpc/grpc-js";
import services, { type IAnalyzerServer } from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/analyzer_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { afterEach, expect, it } from "vitest";
import { type PolicyProxy, startPolicyProxy } from "./policy-proxy.ts";

/** What only a pack that the engine talks to itself can say: the server in between hands no metadata on. */
const FROM_PACK = new grpc.Metadata();
FROM_PACK.set("from", "pack");

let pack: grpc.Server;
let proxy: PolicyProxy;
let client: InstanceType<typeof services.AnalyzerClient>;

afterEach(() => {
  client.close();
  proxy.close();
  pack.forceShutdown();
});

/** A pack that answers with its version, and a client in the engine's place. */
async function start(): Promise<void> {
  pack = new grpc.Server();
  const answers: Pick<IAnalyzerServer, "configureStack" | "getPluginInfo"> = {
    configureStack: (_call, reply) => reply(null, new messages.AnalyzerStackConfigureResponse()),
    getPluginInfo: (call, reply) => {
      call.sendMetadata(FROM_PACK);
      setTimeout(() => reply(null, new plugin.PluginInfo().setVersion("1.2.3")), 700);
    },
  };
  pack.addService(services.AnalyzerService, answers as UntypedServiceImplementation);
  proxy = await startPolicyProxy(() =>
    promisify(pack.bindAsync.bind(pack))("127.0.0.1:0", grpc.ServerCredentials.createInsecure()),
  );
  client = new services.AnalyzerClient(`127.0.0.1:${proxy.port}`, grpc.credentials.createInsecure());
}

const configure = (): Promise<void> =>
  new Promise((resolve, reject) => {
    client.configureStack(new messages.AnalyzerStackConfigureRequest(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
const version = (): Promise<string> =>
  new Promise((resolve, reject) => {
    client.getPluginInfo(new empty.Empty(), (error, answer) =>
      error === null ? resolve(answer.getVersion()) : reject(error),
    );
  });

const from = (): Promise<unknown> =>
  new Promise((resolve) => {
    const call = client.getPluginInfo(new empty.Empty(), () => {});
    call.on("metadata", (metadata: grpc.Metadata) => resolve(metadata.get("from")[0]));
  });

it("stands between the engine and the pack until the pack is configured", async () => {
  await start();
  expect(await from()).toBeUndefined();
  await configure();
  await expect.poll(from).toBe("pack");
});

it("starts the pack for a question that comes before any configuration", async () => {
  await start();
  expect(await version()).toBe("1.2.3");
});

it("loses no call while the connection changes hands, not those that are under way either", async () => {
  await start();
  const early = Array.from({ length: 20 }, version);
  await configure();
  const late: Promise<string>[] = [];
  for (let round = 0; round < 50; round += 1) {
    late.push(version(), version());
    await new Promise(setImmediate);
  }
  expect(new Set(await Promise.all([...early, ...late]))).toEqual(new Set(["1.2.3"]));
});

it("ends the engine's connection with the pack's", async () => {
  await start();
  await configure();
  expect(await version()).toBe("1.2.3");
  pack.forceShutdown();
  await expect(version()).rejects.toMatchObject({ code: grpc.status.UNAVAILABLE });
});
