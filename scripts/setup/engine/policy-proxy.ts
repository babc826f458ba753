/**
 * Gives a policy pack the stack's configuration. The engine sends it in a call (ConfigureStack) to a running
 * pack, but the SDK's packs read it from the environment that they are started with. So, as the ordinary host
 * does, a small server answers first, starts the pack when the configuration has come, and hands other calls on,
 * unread.
 *
 * Once the pack is configured the server lets the engine connect anew (HTTP/2's GOAWAY), and hands on bytes: there are
 * two calls for each resource, and to take each apart costs about as much as a pack without policies does.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import grpc, { type Client, type MethodDefinition, type UntypedHandleCall } from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import type { AnalyzerStackConfigureRequest } from "@pulumi/pulumi/proto/analyzer_pb.js";
import messages from "@pulumi/pulumi/proto/analyzer_pb.js";

const UNLIMITED = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
const GRACE_MILLISECONDS = 500;
/** Calls that are under way when the connection changes hands have this long. */
const DRAIN_MILLISECONDS = 600_000;
/** An empty protobuf message. */
const EMPTY = Buffer.alloc(0);

/** Starts the pack with these variables; resolves to the port that it listens on. */
export type StartPack = (environment: NodeJS.ProcessEnv) => Promise<number>;

export interface PolicyProxy {
  port: number;
  close(): void;
}

type UnaryCall = { request: Buffer };
type Reply = (error: Partial<grpc.ServiceError> | null, response?: Buffer) => void;

export async function startPolicyProxy(startPack: StartPack): Promise<PolicyProxy> {
  let pack: Promise<{ port: number; client: Client }> | undefined;
  /** The pack's port, once it has its configuration. */
  let configured: number | undefined;
  // `pulumi policy publish` asks for information without ever configuring a stack.
  const started = (environment: NodeJS.ProcessEnv = {}): Promise<{ port: number; client: Client }> => {
    pack ??= startPack(environment).then((port) => ({
      port,
      client: new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), UNLIMITED),
    }));
    return pack;
  };

  const calls = new grpc.Server(UNLIMITED);
  const definitions: [string, MethodDefinition<Buffer, Buffer>][] = Object.entries(
    services.AnalyzerService,
  ).map(([name, method]) => [name, unread(method.path)]);
  const handlers: [string, UntypedHandleCall][] = definitions.map(([name, method]) => [
    name,
    (call: UnaryCall, reply: Reply) => {
      void answer(name, method.path, call.request).then(
        (response) => {
          reply(null, response);
          if (configured !== undefined) engine.drain(DRAIN_MILLISECONDS);
        },
        (error: Partial<grpc.ServiceError>) =>
          reply({ code: error.code ?? grpc.status.INTERNAL, details: error.details ?? error.message ?? "" }),
      );
    },
  ]);

  async function answer(name: string, path: string, request: Buffer): Promise<Buffer> {
    if (name === "handshake") return EMPTY;
    if (name !== "configureStack") return await forward((await started()).client, path, request);
    const { client, port } = await started(
      stackEnvironment(messages.AnalyzerStackConfigureRequest.deserializeBinary(request)),
    );
    // The tags of the stack come only this way.
    const response = await forward(client, path, request);
    configured = port;
    return response;
  }

  calls.addService(Object.fromEntries(definitions), Object.fromEntries(handlers));
  const engine = calls.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const handedOn = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    if (configured === undefined) engine.injectConnection(socket);
    else handOn(socket, configured, handedOn);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      // Calls that are being answered, as with the reason why the pack has ended, get their answer.
      const force = setTimeout(() => calls.forceShutdown(), GRACE_MILLISECONDS);
      calls.tryShutdown(() => clearTimeout(force));
      setTimeout(() => {
        for (const socket of handedOn) socket.destroy();
      }, GRACE_MILLISECONDS).unref();
      pack?.then(
        ({ client }) => client.close(),
        () => {},
      );
    },
  };
}

/** Joins a connection to one of its own to the pack: when either ends, so does the other. */
function handOn(socket: Socket, port: number, open: Set<Socket>): void {
  const pack = connect({ port, host: "127.0.0.1", noDelay: true });
  open.add(socket);
  pipeline(socket, pack, socket, () => {
    open.delete(socket);
    pack.destroy();
    socket.destroy();
  });
}

const same = (bytes: Buffer): Buffer => bytes;

/** A method whose messages stay bytes. */
const unread = (path: string): MethodDefinition<Buffer, Buffer> => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});

const forward = (client: Client, path: string, request: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, request, (error, response) =>
      error === null && response !== undefined ? resolve(response) : reject(error),
    );
  });

/** What the SDK reads: configuration, the names of its secrets, and which stack it is. */
function stackEnvironment(stack: AnalyzerStackConfigureRequest): NodeJS.ProcessEnv {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(stack.getConfigMap().toArray())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(stack.getConfigSecretKeysList()),
    PULUMI_NODEJS_ORGANIZATION: stack.getOrganization(),
    PULUMI_NODEJS_PROJECT: stack.getProject(),
    PULUMI_NODEJS_STACK: stack.getStack(),
    PULUMI_NODEJS_DRY_RUN: String(stack.getDryRun()),
  };
}
