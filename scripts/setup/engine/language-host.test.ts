/** The language host by itself: a client in the engine's place, and a program whose "SDK" reports what it got. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import grpc from "@grpc/grpc-js";
import analyzers from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import analyzer from "@pulumi/pulumi/proto/analyzer_pb.js";
import type { LanguageRuntimeClient } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import services from "@pulumi/pulumi/proto/language_grpc_pb.js";
import type { RunRequest, RunResponse } from "@pulumi/pulumi/proto/language_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import structs from "google-protobuf/google/protobuf/struct_pb.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

vi.setConfig({ testTimeout: 30_000 });

/** Patient, since a process starts slowly on a busy machine. */
const soon = (read: () => unknown) => expect.poll(read, { timeout: 15_000 });

const HOST = join(import.meta.dirname, "language-host.ts");

let folder: string;
let host: ChildProcess;
let client: LanguageRuntimeClient;
let output: () => string;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "language-host-")));
  // Started far from the program: whatever it needs, it finds from the program's folder.
  host = spawn(process.execPath, [HOST, "127.0.0.1:9"], { cwd: "/", stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  host.stdout?.on("data", (data: Buffer) => {
    printed += data.toString();
  });
  host.stderr?.on("data", (data: Buffer) => {
    printed += data.toString();
  });
  output = () => printed;
  if (host.stdout === null) throw new Error("the host has no standard output");
  const [port] = (await once(createInterface(host.stdout), "line")) as [string];
  expect(port).toMatch(/^\d+$/);
  client = new services.LanguageRuntimeClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
});

afterEach(async () => {
  client.close();
  if (host.exitCode === null) {
    host.stdin?.end();
    await once(host, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A stand-in for a module of the program's SDK. */
function sdk(module: string, source: string): void {
  const directory = join(folder, "node_modules/@pulumi/pulumi/cmd", module);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "index.js"), source);
}

function request(): RunRequest {
  const options = structs.Struct.fromJavaScript({ typescript: false, nodeargs: "--max-old-space-size=256" });
  const info = new language.ProgramInfo()
    .setRootDirectory(folder)
    .setProgramDirectory(folder)
    .setEntryPoint(".")
    .setOptions(options);
  const run = new language.RunRequest()
    .setInfo(info)
    .setPwd(folder)
    .setMonitorAddress("127.0.0.1:10")
    .setProject("project")
    .setStack("stack")
    .setParallel(4)
    .setDryrun(true)
    .setConfigsecretkeysList(["project:token"]);
  run.getConfigMap().set("project:token", "geheim").set("project:size", "3");
  return run;
}

const run = (message: RunRequest): Promise<RunResponse> =>
  promisify<RunRequest, RunResponse>(client.run.bind(client))(message);

test("a program gets its addresses, its configuration and the names of its secrets", async () => {
  const report = join(folder, "report.json");
  sdk(
    "run",
    `require("node:fs").writeFileSync(${JSON.stringify(report)}, JSON.stringify({
      cwd: process.cwd(), execArgv: process.execArgv, argv: process.argv.slice(2),
      config: JSON.parse(process.env.PULUMI_CONFIG), secrets: process.env.PULUMI_CONFIG_SECRET_KEYS,
      typescript: process.env.PULUMI_NODEJS_TYPESCRIPT }));`,
  );
  const response = await run(request());
  expect(response.getError()).toBe("");
  expect(response.getBail()).toBe(false);
  expect(JSON.parse(readFileSync(report, "utf8"))).toEqual({
    cwd: folder,
    execArgv: ["--max-old-space-size=256"],
    argv: [
      "--monitor=127.0.0.1:10",
      "--engine=127.0.0.1:9",
      "--project=project",
      `--root-directory=${folder}`,
      "--stack=stack",
      `--pwd=${folder}`,
      "--parallel=4",
      "--dry-run",
      ".",
    ],
    config: { "project:token": "geheim", "project:size": "3" },
    secrets: '["project:token"]',
    typescript: "false",
  });
});

test("exit code 32 means that the program has reported its error already", async () => {
  sdk("run", "process.exit(32)");
  expect((await run(request())).toObject()).toEqual({ bail: true, error: "" });
});

test("any other exit code is an error that names it", async () => {
  sdk("run", "process.exit(3)");
  expect((await run(request())).toObject()).toEqual({ bail: false, error: "the program exited with 3" });
});

test("a program without its packages is told to install them", async () => {
  expect((await run(request())).getError()).toMatch(/@pulumi\/pulumi\/cmd\/run is not installed .*npm ci/);
});

test("what a program prints is passed on, after the port", async () => {
  sdk("run", "console.log('to stdout'); console.error('to stderr')");
  await run(request());
  await soon(output).toMatch(/^\d+\n(to stdout\nto stderr|to stderr\nto stdout)\n$/);
});

const SLEEPER = `require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`;

async function sleeperPid(): Promise<number> {
  const read = (): number => Number(readFileSync(join(folder, "pid"), "utf8"));
  await soon(read).toBeGreaterThan(0);
  return read();
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test("a cancelled call ends its program", async () => {
  sdk("run", SLEEPER);
  const call = client.run(request(), () => {});
  const pid = await sleeperPid();
  call.cancel();
  await soon(() => isGone(pid)).toBe(true);
  expect(host.exitCode).toBe(null);
});

test("when the engine dies, the program and the host end", async () => {
  sdk("run", SLEEPER);
  client.run(request(), () => {});
  const pid = await sleeperPid();
  // What the kernel does to the pipe of a process that was killed.
  host.stdin?.destroy();
  const [status] = (await once(host, "exit")) as [number];
  expect(status).toBe(0);
  expect(isGone(pid)).toBe(true);
});

/** A pack that answers "getPluginInfo" with what it was started with. */
const PACK = `
  const grpc = require(${JSON.stringify(fileURLToPath(import.meta.resolve("@grpc/grpc-js")))});
  const { AnalyzerService } = require(${JSON.stringify(fileURLToPath(import.meta.resolve("@pulumi/pulumi/proto/analyzer_grpc_pb.js")))});
  const { PluginInfo } = require(${JSON.stringify(fileURLToPath(import.meta.resolve("@pulumi/pulumi/proto/plugin_pb.js")))});
  const { AnalyzerStackConfigureResponse } = require(${JSON.stringify(fileURLToPath(import.meta.resolve("@pulumi/pulumi/proto/analyzer_pb.js")))});
  let tags;
  const server = new grpc.Server();
  server.addService(AnalyzerService, {
    configureStack: (call, reply) => { tags = call.request.getTagsMap().toArray(); reply(null, new AnalyzerStackConfigureResponse()); },
    getPluginInfo: (_call, reply) => reply(null, new PluginInfo().setVersion(JSON.stringify({
      argv: process.argv.slice(2), cwd: process.cwd(), tags, typescript: process.env.PULUMI_NODEJS_TYPESCRIPT,
      config: process.env.PULUMI_CONFIG, a: process.env.A }))),
  });
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_error, port) => { console.log(port); console.log("served"); console.error("oh"); });`;

const pluginRequest = (): InstanceType<typeof language.RunPluginRequest> =>
  new language.RunPluginRequest()
    .setInfo(
      new language.ProgramInfo().setProgramDirectory(folder).setRootDirectory(folder).setEntryPoint("."),
    )
    .setPwd("/")
    .setKind("analyzer")
    .setArgsList(["127.0.0.1:9"])
    .setEnvList(["A=1=2"]);

test("a policy pack gets the stack's configuration, runs in its own folder through ts-node, and ends with its call", async () => {
  sdk("run-policy-pack", PACK);
  const call = client.runPlugin(pluginRequest());
  call.on("error", () => {});
  let stdout = "";
  let stderr = "";
  call.on("data", (message: InstanceType<typeof language.RunPluginResponse>) => {
    stdout += Buffer.from(message.getStdout_asU8()).toString();
    stderr += Buffer.from(message.getStderr_asU8()).toString();
  });
  await soon(() => stdout).toMatch(/^\d+\n$/);
  const pack = new analyzers.AnalyzerClient(`127.0.0.1:${Number(stdout)}`, grpc.credentials.createInsecure());
  const stack = new analyzer.AnalyzerStackConfigureRequest();
  stack.getConfigMap().set("project:size", "3");
  stack.getTagsMap().set("class", "lab");
  await new Promise<void>((resolve, reject) => {
    pack.configureStack(stack, (error) => (error === null ? resolve() : reject(error)));
  });
  const info = await new Promise<string>((resolve, reject) => {
    pack.getPluginInfo(new empty.Empty(), (error, answer) =>
      error === null ? resolve(answer.getVersion()) : reject(error),
    );
  });
  expect(JSON.parse(info)).toEqual({
    argv: ["127.0.0.1:9", folder],
    cwd: folder,
    tags: [["class", "lab"]],
    typescript: "true",
    config: '{"project:size":"3"}',
    a: "1=2",
  });
  await soon(() => stdout).toMatch(/^\d+\nserved\n$/);
  await soon(() => stderr).toBe("oh\n");
  call.cancel();
  await expect
    .poll(
      () => new Promise((resolve) => pack.getPluginInfo(new empty.Empty(), (error) => resolve(error?.code))),
    )
    .toBe(grpc.status.UNAVAILABLE);
  pack.close();
});

test("a policy pack that is never served fails with its own output and the reason", async () => {
  sdk("run-policy-pack", 'console.error("TS5097"); process.exitCode = 5');
  const call = client.runPlugin(pluginRequest());
  call.on("error", () => {});
  const ended = once(call, "status") as Promise<[grpc.StatusObject]>;
  const streamed = { stdout: "", stderr: "", exitcode: -1 };
  call.on("data", (message: InstanceType<typeof language.RunPluginResponse>) => {
    if (message.hasStdout()) streamed.stdout += Buffer.from(message.getStdout_asU8()).toString();
    if (message.hasStderr()) streamed.stderr += Buffer.from(message.getStderr_asU8()).toString();
    if (message.hasExitcode()) streamed.exitcode = message.getExitcode();
  });
  await soon(() => streamed.stdout).toMatch(/^\d+\n$/);
  const pack = new analyzers.AnalyzerClient(
    `127.0.0.1:${Number(streamed.stdout)}`,
    grpc.credentials.createInsecure(),
  );
  const refused = await new Promise<grpc.ServiceError | null>((resolve) => {
    pack.configureStack(new analyzer.AnalyzerStackConfigureRequest(), resolve);
  });
  expect(refused?.message).toMatch(/ended with 5 before it was served/);
  const [{ code }] = await ended;
  expect(code).toBe(grpc.status.OK);
  expect(streamed.exitcode).toBe(5);
  expect(streamed.stderr).toBe("TS5097\n");
  pack.close();
});

test("a method that the host lacks is answered as unimplemented, which the engine accepts", async () => {
  const pack = promisify(
    client.pack.bind(client) as (
      message: InstanceType<typeof language.PackRequest>,
      done: (error: Error | null) => void,
    ) => void,
  );
  await expect(pack(new language.PackRequest())).rejects.toThrow(/UNIMPLEMENTED/);
});
