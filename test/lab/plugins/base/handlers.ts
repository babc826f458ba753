// The provider protocol (provider.proto) in terms of `Resource`.

import grpc from "@grpc/grpc-js";
import plugins, { type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { decodeConfig, type Plugin } from "../base.ts";
import { checkShape } from "./check.ts";
import { changes } from "./diff.ts";
import { checked, comparison, difference, marked, remark } from "./replies.ts";
import type { Context, Existing, Resource } from "./resource.ts";
import { type ObjectShape, sdkShapes, sdkVersion, shapeKey } from "./sdk-types.ts";
import { revealAll, type Values } from "./values.ts";
import { fromStruct, toStruct, unary } from "./wire.ts";

export type Host = {
  readonly signal: AbortSignal;
  readonly cancel: () => void;
  readonly attach: (address: string) => void;
  readonly log: (urn: string, ...line: Parameters<Context["log"]>) => void;
  /** What was logged has arrived: the engine may leave right after the last answer. */
  readonly flush: () => Promise<void>;
};

type Addressed = { getUrn(): string; getType(): string; getName(): string };

export function handlers(plugin: Plugin, host: Host): grpc.UntypedServiceImplementation {
  const wanted = [
    ...Object.values(plugin.resources).map(({ sdk }) => sdk),
    ...(plugin.config ? [plugin.config] : []),
  ];
  let shapes: ReturnType<typeof sdkShapes> | undefined;
  const shape = (sdk: Resource["sdk"]): ObjectShape => {
    shapes ??= sdkShapes(plugin.sdk, wanted);
    return shapes[shapeKey(sdk)] ?? { kind: "object", fields: {} };
  };
  let config: Values = {};
  const work = <Request, Reply>(handle: (request: Request, called: AbortSignal) => Promise<Reply>) =>
    unary((request: Request, called) => handle(request, called).finally(host.flush));

  function resource(request: Addressed): Resource {
    const type = request.getType() || (request.getUrn().split("::")[2] ?? "").split("$").at(-1) || "";
    const found = plugin.resources[type];
    if (found !== undefined) return found;
    const reason = plugin.refused?.[type] ?? `Here are: ${Object.keys(plugin.resources).join(", ")}.`;
    throw new Error(
      `${type} is not in this stand-in; the real provider "${plugin.name}" ${sdkVersion(plugin.sdk)} has it. ${reason}`,
    );
  }

  function context(request: Addressed, timeout: number, called: AbortSignal): Context {
    const urn = request.getUrn();
    const limit = timeout > 0 ? [AbortSignal.timeout(timeout * 1000)] : [];
    return {
      urn,
      name: request.getName() || (urn.split("::").at(-1) ?? ""),
      config,
      signal: AbortSignal.any([host.signal, called, ...limit]),
      log: (severity, message) => host.log(urn, severity, message),
    };
  }

  const check = unary(async (request: InstanceType<typeof messages.CheckRequest>) => {
    const kind = resource(request);
    const news = fromStruct(request.getNews());
    const failures = checkShape(news, shape(kind.sdk));
    if (failures.length === 0) failures.push(...(kind.check?.(revealAll(news), config) ?? []));
    const inputs = failures.length === 0 ? (kind.normalize?.(news) ?? news) : news;
    return checked(remark(inputs, {}, kind.secretInputs ?? []), failures);
  });

  const checkConfig = unary(async (request: InstanceType<typeof messages.CheckRequest>) => {
    const news = fromStruct(request.getNews());
    const { version: _, pluginDownloadURL: __, ...decoded } = revealAll(decodeConfig(revealAll(news)));
    return checked(news, plugin.config === undefined ? [] : checkShape(decoded, shape(plugin.config)));
  });

  const configure = unary(async (request: InstanceType<typeof messages.ConfigureRequest>) => {
    config = revealAll(decodeConfig(revealAll(fromStruct(request.getArgs()))));
    const reply = new messages.ConfigureResponse();
    reply.setAcceptsecrets(true);
    reply.setSupportspreview(true);
    return reply;
  });

  const diff = unary(async (request: InstanceType<typeof messages.DiffRequest>) => {
    return difference(resource(request).diff(comparison(request)));
  });

  const create = work(async (request: InstanceType<typeof messages.CreateRequest>, called: AbortSignal) => {
    const kind = resource(request);
    const inputs = fromStruct(request.getProperties());
    const reply = new messages.CreateResponse();
    if (request.getPreview()) {
      reply.setProperties(marked(kind, kind.preview(revealAll(inputs)), inputs));
      return reply;
    }
    const { id, outputs } = await kind.create(
      context(request, request.getTimeout(), called),
      revealAll(inputs),
    );
    reply.setId(id);
    reply.setProperties(marked(kind, outputs, inputs));
    return reply;
  });

  const read = work(async (request: InstanceType<typeof messages.ReadRequest>, called: AbortSignal) => {
    const kind = resource(request);
    const [state, inputs] = [fromStruct(request.getProperties()), fromStruct(request.getInputs())];
    const known: Existing = { id: request.getId(), state: revealAll(state), oldInputs: revealAll(inputs) };
    const reply = new messages.ReadResponse();
    const within = context(request, request.getTimeout(), called);
    const found = kind.read === undefined ? asKnown(known) : await kind.read(within, known);
    if (found === undefined) return reply;
    reply.setId(found.id);
    reply.setProperties(marked(kind, found.outputs, state, inputs));
    reply.setInputs(toStruct(remark(found.inputs, inputs, kind.secretInputs ?? [])));
    return reply;
  });

  const update = work(async (request: InstanceType<typeof messages.UpdateRequest>, called: AbortSignal) => {
    const kind = resource(request);
    const inputs = fromStruct(request.getNews());
    const compared = comparison(request);
    const reply = new messages.UpdateResponse();
    if (kind.update === undefined) throw new Error(`${request.getUrn()} cannot be updated, only replaced`);
    const outputs = request.getPreview()
      ? kind.preview(compared.inputs, compared)
      : await kind.update(context(request, request.getTimeout(), called), compared);
    reply.setProperties(marked(kind, outputs, inputs));
    return reply;
  });

  const remove = work(async (request: InstanceType<typeof messages.DeleteRequest>, called: AbortSignal) => {
    const known: Existing = {
      id: request.getId(),
      state: revealAll(fromStruct(request.getProperties())),
      oldInputs: revealAll(fromStruct(request.getOldInputs())),
    };
    await resource(request).delete?.(context(request, request.getTimeout(), called), known);
    return new empty.Empty();
  });

  const invoke = unary(async (request: InstanceType<typeof messages.InvokeRequest>): Promise<never> => {
    throw new Error(`the function ${request.getTok()} is not in this stand-in; the real provider has it`);
  });

  return {
    ...unimplemented(),
    check,
    checkConfig,
    configure,
    diff,
    create,
    read,
    update,
    delete: remove,
    invoke,
    diffConfig: unary(async (request: InstanceType<typeof messages.DiffRequest>) => {
      // A provider whose address or token changed is still the same provider: nothing is replaced.
      const { inputs, oldInputs, state } = comparison(request);
      const before = Object.keys(oldInputs).length > 0 ? oldInputs : state;
      return difference({ changes: changes(before, inputs) });
    }),
    handshake: unary(async () => {
      const reply = new messages.ProviderHandshakeResponse();
      reply.setAcceptSecrets(true);
      return reply;
    }),
    cancel: unary(async () => {
      host.cancel();
      return new empty.Empty();
    }),
    attach: unary(async (request: PluginAttach) => {
      host.attach(request.getAddress());
      return new empty.Empty();
    }),
    getPluginInfo: unary(async () => {
      const reply = new plugins.PluginInfo();
      reply.setVersion(sdkVersion(plugin.sdk));
      return reply;
    }),
  };
}

/** Everything else of the protocol: the engine takes this answer as "the provider has no such thing". */
function unimplemented(): grpc.UntypedServiceImplementation {
  const names = Object.keys(services.ResourceProviderService);
  const refuse: grpc.handleUnaryCall<unknown, unknown> = (_call, callback) =>
    callback({ code: grpc.status.UNIMPLEMENTED, details: "not in this stand-in" });
  return Object.fromEntries(names.map((name) => [name, refuse]));
}

function asKnown({ id, state, oldInputs }: Existing) {
  return { id, outputs: state, inputs: oldInputs };
}
