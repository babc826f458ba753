import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LOGS, REGISTRY } from "../../../scripts/setup/paths.ts";
import { step } from "../../../scripts/setup/progress.ts";
import { freePort, isFree } from "../ports.ts";
import { abandon, startDetached, stop } from "../processes.ts";
import { builtOnce, cached, recipe, stampOf } from "./folder.ts";
import type { HermesImage } from "./hermes-image.ts";

/** The registry's name for the image; a guest sees it as a mirror of the official one. */
const repository = "nousresearch/hermes-agent";
const storage = REGISTRY;

export interface Registry {
  readonly pid: number;
}

/** Puts the Hermes image into the registry's storage, through a registry that runs only for that. */
export async function fillRegistry(image: HermesImage): Promise<void> {
  const tag = image.reference.slice(image.reference.lastIndexOf(":") + 1);
  await builtOnce(storage, recipe(["registry.ts"], [stampOf(image.ociArchive)]), async (unfinished) => {
    const port = await freePort();
    await withRegistry(unfinished, port, () =>
      step({
        title: "The Hermes image into the lab's registry",
        log: "registry-fill",
        estimateSeconds: 8,
        command: copy(`oci-archive:${image.ociArchive}`, `docker://127.0.0.1:${port}/${repository}:${tag}`),
        timeoutSeconds: 300,
      }),
    );
  });
}

/** Gives the image `from` a second tag with the same bits, in the storage; a running registry serves it. */
export async function tagRegistry(from: string, to: string): Promise<void> {
  const port = await freePort();
  const name = `docker://127.0.0.1:${port}/${repository}`;
  await withRegistry(storage, port, () =>
    step({
      title: `Tag ${to} in the lab's registry`,
      log: "registry-tag",
      estimateSeconds: 3,
      command: copy(`${name}:${from}`, `${name}:${to}`),
      timeoutSeconds: 120,
    }),
  );
}

/** Starts the registry read-only on the loopback interface; it keeps running after this process. */
export async function startRegistry(options: {
  readonly port: number;
  readonly pidFile: string;
  readonly logFile: string;
}): Promise<Registry> {
  if (!existsSync(storage)) {
    throw new Error(`The lab's registry has no storage at ${storage}: call ensureImages() first.`);
  }
  return serve({ ...options, folder: storage, readOnly: true });
}

interface Service {
  readonly folder: string;
  readonly port: number;
  readonly pidFile: string;
  readonly logFile: string;
  readonly readOnly: boolean;
}

export async function serve(service: Service): Promise<Registry> {
  if (!(await isFree(service.port))) {
    throw new Error(
      `Port ${service.port} on 127.0.0.1 is taken, so the lab's registry cannot start. See who listens with ` +
        `\`ss -ltnp 'sport = :${service.port}'\` and end it. A lab without a running virtual machine takes ` +
        "another port by itself.",
    );
  }
  for (const file of [service.pidFile, service.logFile]) {
    mkdirSync(dirname(file), { recursive: true });
  }
  const configFile = configurationFile(service.pidFile);
  const mark = randomUUID();
  writeFileSync(configFile, configuration(service, mark));
  const child = startDetached({
    command: ["docker-registry", "serve", configFile],
    cwd: dirname(service.pidFile),
    // Without it the registry tries to reach a collector for traces.
    env: { ...process.env, OTEL_TRACES_EXPORTER: "none" },
    log: service.logFile,
    pidFile: service.pidFile,
  });
  const failure = new Promise<never>((_, reject) => {
    child.once("error", (error) =>
      reject(
        new Error(
          `docker-registry could not be started (${error.message}): install the Debian package docker-registry.`,
        ),
      ),
    );
    child.once("exit", (code, signal) =>
      reject(new Error(`docker-registry ended at once (${code ?? signal}); its log is ${service.logFile}.`)),
    );
  });
  try {
    await Promise.race([answers(service.port, mark, service.logFile), failure]);
  } catch (error) {
    await abandon(child, service.pidFile);
    throw error;
  } finally {
    child.removeAllListeners("exit");
    failure.catch(() => {});
  }
  const pid = child.pid;
  if (pid === undefined) {
    throw new Error("docker-registry was started without a process id.");
  }
  return { pid };
}

async function withRegistry(folder: string, port: number, use: () => Promise<unknown>): Promise<void> {
  const pidFile = cached(`registry-${port}.pid`);
  const logFile = join(LOGS, "registry.log");
  await serve({ folder, port, pidFile, logFile, readOnly: false });
  try {
    await use();
  } finally {
    await stop(pidFile);
    rmSync(configurationFile(pidFile), { force: true });
  }
}

const configurationFile = (pidFile: string): string => `${pidFile}.yml`;

/** Tells this start of a registry from any other program that answers on its port. */
const MARK = "x-lab-start";

function configuration(service: Service, mark: string): string {
  return JSON.stringify({
    version: "0.1",
    log: { level: "warn", accesslog: { disabled: true } },
    storage: {
      filesystem: { rootdirectory: service.folder },
      // No cache of what exists: a tag made by another process must be seen at once.
      maintenance: { uploadpurging: { enabled: false }, readonly: { enabled: service.readOnly } },
    },
    http: {
      addr: `127.0.0.1:${service.port}`,
      secret: randomBytes(16).toString("hex"),
      headers: { [MARK]: [mark] },
    },
  });
}

function copy(from: string, to: string): [string, ...string[]] {
  return [
    "skopeo",
    "--insecure-policy",
    "copy",
    "--quiet",
    // A user without a session has no file of credentials to be read, and none are needed.
    "--src-no-creds",
    "--dest-no-creds",
    "--src-tls-verify=false",
    "--dest-tls-verify=false",
    from,
    to,
  ];
}

async function answers(port: number, mark: string, logFile: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v2/`);
      if (response.ok && response.headers.get(MARK) === mark) {
        return;
      }
    } catch {
      // Not listening yet.
    }
    await pause(50);
  }
  throw new Error(`docker-registry on port ${port} did not answer within 15 s; its log is ${logFile}.`);
}
