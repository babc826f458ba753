/**
 * The Node.js language host for an engine that was built from Go modules (the vendor's own host is not among
 * them). The engine starts it, reads a port from its standard output, and asks it to run programs and policy
 * packs. With the ordinary Pulumi CLI it is not used.
 *
 * Standard output carries the port and nothing else of ours.
 */
import { createRequire } from "node:module";
import grpc, { type handleUnaryCall, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { ILanguageRuntimeServer } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import services from "@pulumi/pulumi/proto/language_grpc_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import { endChildren } from "./children.ts";
import { installedDependencies } from "./program.ts";
import { runPlugin } from "./run-plugin.ts";
import { runProgram } from "./run-program.ts";

/** The last argument is the engine's address; flags for logging and tracing may come before it. */
let engineAddress = process.argv.slice(2).at(-1) ?? "";

/** Answers a unary call with what `handle` returns, and with its error when it throws. */
function unary<Request, Response>(
  handle: (call: Parameters<handleUnaryCall<Request, Response>>[0]) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, reply) => {
    void (async () => handle(call))().then(
      (response) => reply(null, response),
      (error: Error) => reply({ code: grpc.status.INTERNAL, details: error.message }),
    );
  };
}

type Implemented =
  | "handshake"
  | "getPluginInfo"
  | "getRequiredPackages"
  | "run"
  | "runPlugin"
  | "about"
  | "getProgramDependencies"
  | "cancel";

// grpc-js answers UNIMPLEMENTED for what is left out, which the engine accepts.
const host: Pick<ILanguageRuntimeServer, Implemented> = {
  handshake: unary((call) => {
    engineAddress = call.request.getEngineAddress() || engineAddress;
    return new language.LanguageHandshakeResponse();
  }),
  getPluginInfo: unary(() => {
    const sdk = createRequire(import.meta.url)("@pulumi/pulumi/package.json") as { version: string };
    return new plugin.PluginInfo().setVersion(sdk.version);
  }),
  // Plugins are found when a resource asks for one: nothing is fetched ahead.
  getRequiredPackages: unary(() => new language.GetRequiredPackagesResponse()),
  run: unary((call) => runProgram(call, engineAddress)),
  runPlugin,
  about: unary(() =>
    new language.AboutResponse().setExecutable(process.execPath).setVersion(process.version),
  ),
  getProgramDependencies: unary((call) => {
    const directory = call.request.getInfo()?.getProgramDirectory() ?? call.request.getPwd();
    return new language.GetProgramDependenciesResponse().setDependenciesList(
      installedDependencies(directory).map(({ name, version }) =>
        new language.DependencyInfo().setName(name).setVersion(version),
      ),
    );
  }),
  cancel: unary(async (call) => {
    await endChildren();
    return call.request;
  }),
};

const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(services.LanguageRuntimeService, host as UntypedServiceImplementation);

let leaving = false;
async function leave(): Promise<void> {
  if (leaving) return;
  leaving = true;
  await endChildren();
  process.exit(0);
}
// SIGINT is how the engine ends a plugin; the end of standard input is how its death shows, even by SIGKILL.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void leave());
process.stdin
  .on("end", () => void leave())
  .on("error", () => void leave())
  .resume();

server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) {
    process.stderr.write(`The language host cannot listen on 127.0.0.1: ${error.message}\n`);
    process.exit(1);
  }
  process.stdout.write(`${port}\n`);
});
