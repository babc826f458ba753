// The base of the stand-in provider plugins: the provider protocol of the engine, served from Node.
// Not `@pulumi/pulumi/provider`: it hides configuration, previews, ignored changes, cancellation and secret marks.

import grpc from "@grpc/grpc-js";
import engineServices from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages from "@pulumi/pulumi/proto/engine_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { handlers } from "./base/handlers.ts";
import type { Context, Resource } from "./base/resource.ts";
import type { SdkArgs } from "./base/sdk-types.ts";
import type { Values } from "./base/values.ts";

export type Plugin = {
  /** The name of the provider, as in a resource type's first part. */
  readonly name: string;
  /** The npm package whose types are the law here, and whose version this plugin reports. */
  readonly sdk: string;
  readonly resources: { readonly [type: string]: Resource };
  /** Types that exist, but cannot be had here: the reason. */
  readonly refused?: { readonly [type: string]: string };
  readonly config?: SdkArgs;
};

const LIMIT = { "grpc.max_receive_message_length": 400 * 1024 * 1024, "grpc.max_send_message_length": -1 };

/** Serves until the engine is gone. Standard output carries the port, and nothing else. */
export async function serve(plugin: Plugin): Promise<void> {
  console.log = console.error;
  const stop = new AbortController();
  // The engine's address is the last argument, after flags such as `--logtostderr`.
  let log = logger(process.argv.slice(2).findLast((argument) => /^[^-].*:\d+$/.test(argument)));
  const unsent = new Set<Promise<void>>();
  const server = new grpc.Server(LIMIT);
  server.addService(
    services.ResourceProviderService,
    handlers(plugin, {
      signal: stop.signal,
      cancel: () => stop.abort(new Error("cancelled by the engine")),
      attach: (address) => {
        log = logger(address);
      },
      log: (urn, severity, message) => {
        const sent = log(urn, severity, message);
        unsent.add(sent);
        void sent.then(() => unsent.delete(sent));
      },
      flush: async () => {
        await Promise.all(unsent);
      },
    }),
  );
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, at: number) => (error === null ? resolve(at) : reject(error));
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), bound);
  });
  // First the handlers: the engine may end a plugin as soon as it knows its port.
  exitWithEngine(stop);
  process.stdout.write(`${port}\n`);
}

/** The engine ends a plugin with SIGINT, and kills it 5 s later. One that was killed itself tells nobody. */
function exitWithEngine(stop: AbortController): void {
  const parent = process.ppid;
  const leave = (): void => {
    stop.abort(new Error("the engine is gone"));
    // A moment for what runs to be killed.
    setTimeout(() => process.exit(0), 200);
  };
  setInterval(() => process.ppid === parent || leave(), 1000).unref();
  process.once("SIGTERM", leave).once("SIGINT", leave);
}

type Log = (urn: string, ...line: Parameters<Context["log"]>) => Promise<void>;

function logger(address: string | undefined): Log {
  if (address === undefined) return async () => undefined;
  const client = new engineServices.EngineClient(address, grpc.credentials.createInsecure(), LIMIT);
  return (urn, severity, message) => {
    const request = new engineMessages.LogRequest();
    request.setSeverity(
      severity === "warning" ? engineMessages.LogSeverity.WARNING : engineMessages.LogSeverity.INFO,
    );
    request.setMessage(message);
    request.setUrn(urn);
    request.setEphemeral(severity === "status");
    const deadline = Date.now() + 5000;
    // A log line that is lost must not fail the resource.
    return new Promise((resolve) => client.log(request, new grpc.Metadata(), { deadline }, () => resolve()));
  };
}

/** What the engine configured, with non-string values decoded: they travel as JSON text. */
export function decodeConfig(sent: Values): Values {
  const decode = (value: Values[string]): Values[string] => {
    if (typeof value !== "string" || !/^(true|false|-?\d+|[[{].*)$/s.test(value)) return value;
    try {
      return JSON.parse(value) as Values[string];
    } catch {
      return value;
    }
  };
  return Object.fromEntries(Object.entries(sent).map(([key, value]) => [key, decode(value)]));
}
