// Between the messages of the protocol and plain values.

import grpc from "@grpc/grpc-js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import anys from "google-protobuf/google/protobuf/any_pb.js";
import structs, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { PartialFailure } from "./resource.ts";
import { compact, type Values } from "./values.ts";

export function fromStruct(struct: Struct | undefined): Values {
  return (struct?.toJavaScript() ?? {}) as Values;
}

export function toStruct(values: Values): Struct {
  return structs.Struct.fromJavaScript(
    compact(values) as Parameters<typeof structs.Struct.fromJavaScript>[0],
  );
}

/** A handler as an async function; its signal ends when the caller gives up. */
export function unary<Request, Reply>(
  handle: (request: Request, called: AbortSignal) => Promise<Reply>,
): grpc.handleUnaryCall<Request, Reply> {
  return (call, callback) => {
    const called = new AbortController();
    call.on("cancelled", () => called.abort(new Error("cancelled by the engine")));
    handle(call.request, called.signal).then(
      (reply) => callback(null, reply),
      (error: unknown) => callback(asStatus(error)),
    );
  };
}

/** The engine reads a partial failure from this well-known header: the resource exists, its set-up failed. */
function asStatus(error: unknown): Partial<grpc.StatusObject> {
  const message = error instanceof Error ? error.message : String(error);
  // A mistake of ours, not of the user: the engine shows standard error.
  if (error instanceof TypeError || error instanceof ReferenceError) console.error(error.stack);
  const metadata = new grpc.Metadata();
  if (error instanceof PartialFailure) {
    const detail = new messages.ErrorResourceInitFailed();
    detail.setId(error.created.id);
    detail.setProperties(toStruct(error.created.outputs));
    detail.setReasonsList([message]);
    const any = new anys.Any();
    any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const status = new statuses.Status();
    status.setCode(grpc.status.UNKNOWN);
    status.setMessage(message);
    status.addDetails(any);
    metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  }
  return { code: grpc.status.UNKNOWN, details: message, metadata };
}
