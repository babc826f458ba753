// For tests: starts a plugin as the engine does, and calls it over gRPC.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import engineServices from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import type { Failure } from "./check.ts";
import type { Values } from "./values.ts";
import { fromStruct, toStruct } from "./wire.ts";

export type Diffed = { changed: boolean; replaces: string[]; details: { [path: string]: number } };
/** An error with what the state would keep of a resource that exists all the same. */
export type CallError = grpc.ServiceError & { kept?: { id: string; outputs: Values } };
type Call<Reply> = (done: (error: grpc.ServiceError | null, reply: Reply) => void) => grpc.ClientUnaryCall;

const PLUGINS = new URL("../", import.meta.url);

export class Driver {
  /** What the plugin told the engine. */
  readonly logs: readonly string[];
  readonly #process: ChildProcess;
  readonly #engine: grpc.Server;
  readonly #client: InstanceType<typeof services.ResourceProviderClient>;

  private constructor(process: ChildProcess, engine: grpc.Server, port: string, logs: readonly string[]) {
    this.logs = logs;
    this.#process = process;
    this.#engine = engine;
    this.#client = new services.ResourceProviderClient(
      `127.0.0.1:${port}`,
      grpc.credentials.createInsecure(),
    );
  }

  static async start(name: string, environment: NodeJS.ProcessEnv = {}): Promise<Driver> {
    const engine = new grpc.Server();
    const logs: string[] = [];
    const log: grpc.handleUnaryCall<LogRequest, unknown> = (call, done) => {
      logs.push(call.request.getMessage());
      done(null, new empty.Empty());
    };
    engine.addService(engineServices.EngineService, { log });
    const address = await new Promise<number>((resolve) =>
      engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, port) => resolve(port)),
    );
    const file = fileURLToPath(new URL(`${name}.ts`, PLUGINS));
    const child = spawn(process.execPath, [file, "--logtostderr", `127.0.0.1:${address}`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...environment },
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    return new Driver(child, engine, String(first.value), logs);
  }

  async configure(config: Values): Promise<void> {
    const request = new messages.ConfigureRequest();
    request.setArgs(toStruct(config));
    request.setAcceptsecrets(true);
    await this.#call<unknown>((done) => this.#client.configure(request, done));
  }

  async checkConfig(news: Values): Promise<Failure[]> {
    const request = new messages.CheckRequest();
    request.setUrn("urn:pulumi:test::test::pulumi:providers:test::default");
    request.setNews(toStruct(news));
    const reply = await this.#call<InstanceType<typeof messages.CheckResponse>>((done) =>
      this.#client.checkConfig(request, done),
    );
    return reply.getFailuresList().map((each) => each.toObject());
  }

  async check(type: string, news: Values): Promise<{ inputs: Values; failures: Failure[] }> {
    const request = address(new messages.CheckRequest(), type);
    request.setNews(toStruct(news));
    const reply = await this.#call<InstanceType<typeof messages.CheckResponse>>((done) =>
      this.#client.check(request, done),
    );
    return {
      inputs: fromStruct(reply.getInputs()),
      failures: reply.getFailuresList().map((each) => each.toObject()),
    };
  }

  async diff(
    type: string,
    id: string,
    state: Values,
    olds: Values,
    news: Values,
    ignore: string[] = [],
  ): Promise<Diffed> {
    const request = address(new messages.DiffRequest(), type);
    request.setId(id);
    request.setOlds(toStruct(state));
    request.setOldInputs(toStruct(olds));
    request.setNews(toStruct(news));
    request.setIgnorechangesList(ignore);
    const reply = await this.#call<InstanceType<typeof messages.DiffResponse>>((done) =>
      this.#client.diff(request, done),
    );
    return {
      changed: reply.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
      replaces: reply.getReplacesList(),
      details: Object.fromEntries(
        [...reply.getDetaileddiffMap().entries()].map(([path, each]) => [path, each.getKind()]),
      ),
    };
  }

  async create(type: string, inputs: Values, preview = false): Promise<{ id: string; outputs: Values }> {
    const request = address(new messages.CreateRequest(), type);
    request.setProperties(toStruct(inputs));
    request.setPreview(preview);
    const reply = await this.#call<InstanceType<typeof messages.CreateResponse>>((done) =>
      this.#client.create(request, done),
    );
    return { id: reply.getId(), outputs: fromStruct(reply.getProperties()) };
  }

  async read(type: string, id: string, state: Values = {}, inputs: Values = {}) {
    const request = address(new messages.ReadRequest(), type);
    request.setId(id);
    request.setProperties(toStruct(state));
    request.setInputs(toStruct(inputs));
    const reply = await this.#call<InstanceType<typeof messages.ReadResponse>>((done) =>
      this.#client.read(request, done),
    );
    return {
      id: reply.getId(),
      outputs: fromStruct(reply.getProperties()),
      inputs: fromStruct(reply.getInputs()),
    };
  }

  async update(
    type: string,
    id: string,
    state: Values,
    olds: Values,
    news: Values,
    more: { preview?: boolean; ignore?: string[] } = {},
  ): Promise<Values> {
    const request = address(new messages.UpdateRequest(), type);
    request.setId(id);
    request.setOlds(toStruct(state));
    request.setOldInputs(toStruct(olds));
    request.setNews(toStruct(news));
    request.setPreview(more.preview ?? false);
    request.setIgnorechangesList(more.ignore ?? []);
    const reply = await this.#call<InstanceType<typeof messages.UpdateResponse>>((done) =>
      this.#client.update(request, done),
    );
    return fromStruct(reply.getProperties());
  }

  async delete(type: string, id: string, state: Values): Promise<void> {
    const request = address(new messages.DeleteRequest(), type);
    request.setId(id);
    request.setProperties(toStruct(state));
    await this.#call<unknown>((done) => this.#client.delete(request, done));
  }

  async cancel(): Promise<void> {
    await this.#call<unknown>((done) => this.#client.cancel(new empty.Empty(), done));
  }

  stop(): void {
    this.#client.close();
    this.#engine.forceShutdown();
    this.#process.kill();
  }

  #call<Reply>(call: Call<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) =>
      call((error, reply) => (error ? reject(withKept(error)) : resolve(reply))),
    );
  }
}

type Addressable = {
  setUrn(urn: string): unknown;
  setType(type: string): unknown;
  setName(name: string): unknown;
};

function address<Request extends Addressable>(request: Request, type: string): Request {
  request.setUrn(`urn:pulumi:test::test::${type}::thing`);
  request.setType(type);
  request.setName("thing");
  return request;
}

function withKept(error: grpc.ServiceError): CallError {
  const [packed] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(packed)) return error;
  const [any] = statuses.Status.deserializeBinary(packed).getDetailsList();
  if (any === undefined) return error;
  const kept = messages.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  return Object.assign(error, { kept: { id: kept.getId(), outputs: fromStruct(kept.getProperties()) } });
}
