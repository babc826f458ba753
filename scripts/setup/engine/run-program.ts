/** `Run`: one execution of a Pulumi program, for a preview or an update. */
import { once } from "node:events";
import type { ServerUnaryCall } from "@grpc/grpc-js";
import type { RunRequest, RunResponse } from "@pulumi/pulumi/proto/language_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import { endChild, startNode } from "./children.ts";
import { resolveFrom, runtimeOptions } from "./program.ts";

/** The SDK's exit code for "the error was shown already" (@pulumi/pulumi/cmd/run). */
const ALREADY_REPORTED = 32;

export async function runProgram(
  call: ServerUnaryCall<RunRequest, RunResponse>,
  engineAddress: string,
): Promise<RunResponse> {
  const { request } = call;
  const response = new language.RunResponse();
  let command: string[];
  try {
    command = programCommand(request, engineAddress);
  } catch (error) {
    response.setError((error as Error).message);
    return response;
  }
  const child = startNode(command, {
    cwd: request.getPwd(),
    env: { ...process.env, ...programEnvironment(request) },
    // The engine shows what the host prints: a program's output goes the same way.
    stdio: ["ignore", "inherit", "inherit"],
  });
  call.once("cancelled", () => endChild(child));
  try {
    const [status, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (status === ALREADY_REPORTED) response.setBail(true);
    else if (status === null) response.setError(`the program was ended by ${signal}`);
    else if (status !== 0) response.setError(`the program exited with ${status}`);
  } catch (error) {
    response.setError(`the program could not be started in ${request.getPwd()}: ${(error as Error).message}`);
  }
  return response;
}

function programCommand(request: RunRequest, engineAddress: string): string[] {
  const info = request.getInfo();
  const directory = info?.getProgramDirectory() || request.getPwd();
  const flags: [string, string][] = [
    ["monitor", request.getMonitorAddress()],
    ["engine", engineAddress],
    ["organization", request.getOrganization()],
    ["project", request.getProject()],
    ["root-directory", info?.getRootDirectory() ?? ""],
    ["stack", request.getStack()],
    ["pwd", request.getPwd()],
    ["parallel", String(request.getParallel())],
  ];
  return [
    ...runtimeOptions(info).nodeArguments,
    resolveFrom(directory, "@pulumi/pulumi/cmd/run"),
    ...flags.filter(([, value]) => value !== "").map(([name, value]) => `--${name}=${value}`),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    // "." makes the SDK look into package.json for the entry point.
    info?.getEntryPoint() || ".",
    ...request.getArgsList(),
  ];
}

/** Configuration travels in the environment: other processes of the same user can't list it as an argument. */
function programEnvironment(request: RunRequest): NodeJS.ProcessEnv {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toArray())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(runtimeOptions(request.getInfo()).typescript),
  };
}
