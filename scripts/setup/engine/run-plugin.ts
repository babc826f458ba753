/** `RunPlugin`: a policy pack, or a provider written in TypeScript, with its output streamed to the engine. */
import type { ChildProcess } from "node:child_process";
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { RunPluginRequest, RunPluginResponse } from "@pulumi/pulumi/proto/language_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import { endChild, startNode } from "./children.ts";
import { startPolicyProxy } from "./policy-proxy.ts";
import { resolveFrom, runtimeOptions } from "./program.ts";

type Call = ServerWritableStream<RunPluginRequest, RunPluginResponse>;
type Stream = "setStdout" | "setStderr";

export function runPlugin(call: Call): void {
  const run = call.request.getKind() === "analyzer" ? runPolicyPack : runProvider;
  run(call).catch((error: Error) => {
    send(call, "setStderr", `${error.message}\n`);
    finish(call, 1);
  });
}

async function runProvider(call: Call): Promise<void> {
  const { request } = call;
  const directory = directoryOf(request);
  const child = startNode(
    [
      ...runtimeOptions(request.getInfo()).nodeArguments,
      resolveFrom(directory, "@pulumi/pulumi/cmd/run-plugin"),
      directory,
      ...request.getArgsList(),
    ],
    { cwd: request.getPwd() || directory, env: environment(request), stdio: ["ignore", "pipe", "pipe"] },
  );
  child.stdout?.on("data", (data: Buffer) => send(call, "setStdout", data));
  follow(call, child);
}

async function runPolicyPack(call: Call): Promise<void> {
  const { request } = call;
  const directory = directoryOf(request);
  const command = [
    ...runtimeOptions(request.getInfo()).nodeArguments,
    resolveFrom(directory, "@pulumi/pulumi/cmd/run-policy-pack"),
    // The engine's address, and then the pack.
    ...request.getArgsList(),
    directory,
  ];
  const proxy = await startPolicyProxy((stack) => {
    const child = startNode(command, {
      // The pack's own folder, so that its own tsconfig.json counts and not the program's.
      cwd: directory,
      // The ordinary host runs packs through ts-node whatever their options say: a pack that only works
      // without it must not pass here.
      env: { ...environment(request), ...stack, PULUMI_NODEJS_TYPESCRIPT: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    follow(call, child);
    child.once("close", () => proxy.close());
    return firstLine(child, (data) => send(call, "setStdout", data));
  });
  call.once("cancelled", () => proxy.close());
  send(call, "setStdout", `${proxy.port}\n`);
}

/** The port on the first line of a pack's output; what comes later goes to `rest`. */
function firstLine(child: ChildProcess, rest: (data: Buffer | string) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let line: string | undefined = "";
    child.stdout?.on("data", (data: Buffer) => {
      if (line === undefined) return rest(data);
      line += data.toString();
      const end = line.indexOf("\n");
      if (end < 0) return;
      const port = Number(line.slice(0, end));
      if (Number.isInteger(port) && port > 0) resolve(port);
      else
        reject(
          new Error(
            `the policy pack printed ${JSON.stringify(line.slice(0, end))} where its port belongs: a pack must not print before it is served`,
          ),
        );
      if (end + 1 < line.length) rest(line.slice(end + 1));
      line = undefined;
    });
    child.once("error", (error) =>
      reject(new Error(`the policy pack could not be started: ${error.message}`)),
    );
    child.once("close", (status) =>
      reject(
        new Error(
          `the policy pack ended with ${status} before it was served: what it printed says why (or its index constructs no PolicyPack)`,
        ),
      ),
    );
  });
}

/** Errors, the end, and the cancellation of a child are those of its call. */
function follow(call: Call, child: ChildProcess): void {
  child.stderr?.on("data", (data: Buffer) => send(call, "setStderr", data));
  child.once("error", (error) => {
    send(call, "setStderr", `the plugin could not be started: ${error.message}\n`);
    finish(call, 1);
  });
  child.once("close", (status) => finish(call, status ?? 1));
  if (call.cancelled) endChild(child);
  call.once("cancelled", () => endChild(child));
}

function send(call: Call, stream: Stream, data: Buffer | string): void {
  if (call.cancelled || call.writableEnded) return;
  call.write(new language.RunPluginResponse()[stream](Buffer.from(data)));
}

function finish(call: Call, status: number): void {
  if (call.cancelled || call.writableEnded) return;
  call.write(new language.RunPluginResponse().setExitcode(status));
  call.end();
}

const directoryOf = (request: RunPluginRequest): string =>
  request.getInfo()?.getProgramDirectory() || request.getPwd();

const environment = (request: RunPluginRequest): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(request.getEnvList().map(splitAssignment)),
});

/** "NAME=value", where the value may contain more equals signs. */
function splitAssignment(assignment: string): [name: string, value: string] {
  const at = assignment.indexOf("=");
  return at < 0 ? [assignment, ""] : [assignment.slice(0, at), assignment.slice(at + 1)];
}
